// Arrays outside of the heap: from an address to the global or the mapping it lies in.
//
// Nearly everybody who asks does so for memory that is neither (small globals, stacks), so that
// "no" has to be cheap: one load where nothing is near, two in general.
//
//   region, 64 MiB   | nothing | all of it is one range | its pages |
//   page, 4 KiB                              | the first range that touches the page |
//   range            | its bytes, and the next range that touches the page of its last byte |
//
// Ranges are disjoint, and of at least 1 KiB, so that few touch the same page. What a range costs
// here is four bytes for each of its pages, nothing for each region that it fills: a program may
// map terabytes and use little of them.
//
// Who changes the table holds the registry's lock. Those who ask hold none: ranges are found as
// long as they are there, and a number that is used again is recognised by its bytes.
#pragma once

#include "abi/layout.h"
#include "runtime/base/arena.h"
#include "runtime/base/atomic.h"
#include "runtime/heap/heap.h"

namespace bigfoot::rt {

class ArrayRanges {
 public:
  // Ranges have numbers as numbered blocks of the heap do, from the first that none of those has.
  static constexpr u32 kFirstNumber = u32{heap::kNumbers};
  static constexpr u32 kNumbers = u32{1} << 20;
  static constexpr usize kMinBytes = heap::kMinNumberedBytes;
  static constexpr usize kMaxRanges = kNumbers - 1;

  void initialise();

  // Whether find() would find something that is not plain.
  bool holds(uptr a) const {
    const Range* r = range_at(a);
    return r != nullptr && load_relaxed(&r->plain) == 0;
  }
  // The range that contains the address; empty if there is none.
  heap::NumberedBlock find(uptr a) const;
  // The first that overlaps `bytes`; empty if there is none.
  heap::NumberedBlock first_in(ByteRange bytes) const;

  // False, and nothing is done: it is too small, one of them overlaps it, or there are too many.
  bool add(ByteRange bytes, Origin allocated);
  // REQUIRES: there is a range of that number.
  void remove(u32 number);
  // As heap::set_plain().
  void set_plain(u32 number, bool plain);

 private:
  using Index = u32;  // of a range: its number without kFirstNumber
  static constexpr Index kNone = 0;

  struct Range {
    uptr begin, end;  // kUnused: it is not in use
    Index next;       // not in use: the next one that is not
    u32 allocated;    // an Origin
    u8 plain;
  };
  static constexpr uptr kUnused = ~uptr{0};
  static constexpr unsigned kPageBits = 12;
  static constexpr usize kPagesPerRegion = abi::kRegionBytes >> kPageBits;
  struct Region {
    Index* pages;  // null: none was needed so far
    Index all;     // fills the region
  };

  Range& at(Index i) { return ranges_[i]; }
  const Range& at(Index i) const { return ranges_[i]; }
  static uptr page_of(uptr a) { return a >> kPageBits; }

  // The first range that touches the page of `a`. REQUIRES: `a` is a user address.
  Index first_on_page(uptr a) const {
    const Region& region = regions_[a >> abi::kRegionBits];
    const Index* pages = load_acquire(&region.pages);
    const Index all = load_acquire(&region.all);
    if (BF_LIKELY(pages == nullptr) || all != kNone) return all;
    return load_acquire(&pages[page_of(a) % kPagesPerRegion]);
  }
  const Range* range_at(uptr a) const {
    if (BF_UNLIKELY(a >> abi::kAddressBits != 0)) return nullptr;
    for (Index i = first_on_page(a); i != kNone; i = load_acquire(&at(i).next)) {
      if (a < load_relaxed(&at(i).begin)) return nullptr;
      if (a < load_relaxed(&at(i).end)) return &at(i);
    }
    return nullptr;
  }
  heap::NumberedBlock block(const Range& r) const;

  Index take_unused();
  // The last range that begins before `a` and touches its page; kNone if there is none.
  Index before_on_page(uptr a) const;
  void set_page(uptr page, Index first);
  // Pages [page, stop) of a range, and regions that it fills, have `first` as their first one.
  void set_pages(const Range& r, uptr page, uptr stop, Index first);

  ReservedTable<Range, kNumbers> ranges_;
  ReservedTable<Region, abi::kRegionCount> regions_;
  u32 used_ = 0;  // those with a higher number have never been used; the first one is 1
  Index free_ = kNone;
};

}  // namespace bigfoot::rt
