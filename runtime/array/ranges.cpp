#include "runtime/array/ranges.h"

namespace bigfoot::rt {

void ArrayRanges::initialise() {
  ranges_.reserve();
  regions_.reserve();
}

heap::NumberedBlock ArrayRanges::block(const Range& r) const {
  const uptr begin = load_relaxed(&r.begin), end = load_relaxed(&r.end);
  return {{begin, end - begin},
          Origin{load_relaxed(&r.allocated)},
          kFirstNumber + static_cast<u32>(&r - &ranges_[0])};
}

heap::NumberedBlock ArrayRanges::find(uptr a) const {
  const Range* r = range_at(a);
  if (r == nullptr) return {};
  const heap::NumberedBlock found = block(*r);
  return found.bytes.contains(a) ? found : heap::NumberedBlock{};  // it may have ended meanwhile
}

heap::NumberedBlock ArrayRanges::first_in(ByteRange bytes) const {
  constexpr uptr kAddressesEnd = uptr{1} << abi::kAddressBits;
  const uptr end = bytes.end() < kAddressesEnd ? bytes.end() : kAddressesEnd;
  for (uptr a = bytes.begin; a < end;) {
    const Region& region = regions_[a >> abi::kRegionBits];
    if (load_acquire(&region.pages) == nullptr && load_acquire(&region.all) == kNone) {
      a = (a | (abi::kRegionBytes - 1)) + 1;
      continue;
    }
    for (Index i = first_on_page(a); i != kNone; i = load_acquire(&at(i).next)) {
      const heap::NumberedBlock found = block(at(i));
      if (found.bytes.begin == kUnused) break;
      if (found.bytes.begin >= end) return {};
      if (found.bytes.end() > a) return found;
    }
    a = (page_of(a) + 1) << kPageBits;
  }
  return {};
}

ArrayRanges::Index ArrayRanges::take_unused() {
  if (const Index i = free_; i != kNone) {
    free_ = at(i).next;
    return i;
  }
  return used_ < kMaxRanges ? ++used_ : kNone;
}

ArrayRanges::Index ArrayRanges::before_on_page(uptr a) const {
  Index before = kNone;
  for (Index i = first_on_page(a); i != kNone && at(i).begin < a; i = at(i).next) before = i;
  return before;
}

void ArrayRanges::set_page(uptr page, Index first) {
  Region& region = regions_[page / kPagesPerRegion];
  if (region.pages == nullptr) {
    if (first == kNone) return;
    store_release(&region.pages, arena_new<Index>(kPagesPerRegion));
  }
  store_release(&region.pages[page % kPagesPerRegion], first);
}

void ArrayRanges::set_pages(const Range& r, uptr page, uptr stop, Index first) {
  while (page < stop) {
    const uptr region = page / kPagesPerRegion, begin = region << abi::kRegionBits;
    if (r.begin <= begin && begin + abi::kRegionBytes <= r.end) {
      store_release(&regions_[region].all, first);
      page = (region + 1) * kPagesPerRegion;
    } else {
      set_page(page++, first);
    }
  }
}

bool ArrayRanges::add(ByteRange bytes, Origin allocated) {
  if (bytes.size < kMinBytes || bytes.end() >> abi::kAddressBits != 0) return false;
  if (first_in(bytes).bytes.size != 0) return false;
  const Index i = take_unused();
  if (i == kNone) return false;
  const uptr first = page_of(bytes.begin), last = page_of(bytes.end() - 1);
  const Index before = before_on_page(bytes.begin);
  const bool follows = first == last && before != kNone;
  Range& r = at(i);
  store_relaxed(&r.end, bytes.end());
  store_relaxed(&r.next, follows ? at(before).next : first_on_page(bytes.end() - 1));
  store_relaxed(&r.allocated, raw(allocated));
  store_relaxed(&r.plain, u8{0});
  store_release(&r.begin, bytes.begin);
  if (before != kNone) store_release(&at(before).next, i);
  set_pages(r, before == kNone ? first : first + 1, last + 1, i);
  return true;
}

void ArrayRanges::remove(u32 number) {
  const Index i = number - kFirstNumber;
  Range& r = at(i);
  const uptr first = page_of(r.begin), last = page_of(r.end - 1);
  const Index before = before_on_page(r.begin);
  if (before != kNone) store_release(&at(before).next, first == last ? r.next : kNone);
  if (before == kNone || first != last) {
    set_pages(r, before == kNone ? first : first + 1, last, kNone);
    set_pages(r, last, last + 1, r.next);
  }
  store_relaxed(&r.begin, kUnused);
  store_relaxed(&r.end, kUnused);
  store_release(&r.next, free_);
  free_ = i;
}

void ArrayRanges::set_plain(u32 number, bool plain) {
  store_relaxed(&at(number - kFirstNumber).plain, static_cast<u8>(plain));
}

}  // namespace bigfoot::rt
