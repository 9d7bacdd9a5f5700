// History as a thing that ends: clearing, and the mark of synchronisation objects. Copying and
// moving it is transfer.cpp.
#include "runtime/base/string.h"
#include "runtime/detect/detector.h"
#include "runtime/detect/groups.h"
#include "runtime/shadow/claims.h"
#include "runtime/sys/sys.h"

namespace bigfoot::rt {
namespace {

void change_flag(uptr a, bool on) {
  Cell* word = shadow::cell<8>(a);
  for (;;) {
    Cell c = words::load_alone(word, a);
    if (c.has_sync() == on) return;
    Cell next = c;
    next.write_origin ^= kSyncFlag;
    if (replace_cell(word, c, next)) return;
  }
}

void clear_word(Cell* word, uptr a, OnSync on_sync, void* context) {
  for (;;) {
    Cell c = words::load_settled(word);
    if (c == Cell{}) return;
    if (!is_masked(c.write)) c = words::load_alone(word, a);
    if (is_special(c.write) && !is_masked(c.write)) {
      if (!words::make_busy(word, c)) continue;
      words::blank_parts(Division(c.write), a);
      words::settle(word, Cell{});
    } else {
      // Plain stores: the memory is nobody's now. Who still accesses it has met the end of its last
      // life in the cell, or meets the beginning of the next.
      store_cell(word, Cell{});
    }
    if (c.has_sync() && on_sync != nullptr) on_sync(context, a);
    return;
  }
}

// A group that ends before `stop`; its other words are blank then. No objects live in it.
bool clear_whole_group(Cell* word, uptr a, uptr stop) {
  const Cell c = words::load_settled(word);
  if (is_special(c.write) || group_words(c) == 1 || a + 8 * group_words(c) > stop) return false;
  return words::clear_group(word, c);
}

// Some bytes of a word, the others keep their history.
void clear_part(Cell* word, ByteRange part) {
  uptr a = part.begin & ~uptr{7};
  for (;;) {
    Cell c = words::load_alone(word, a);
    if (c.blank() && !is_special(c.write)) return;
    const unsigned from = part.begin & 7, to = from + static_cast<unsigned>(part.size);
    if (!is_special(c.write) || !Division(c.write).cuts(from, to)) {
      words::divide(word, c, a, divided_for(c.write, from, to));
      continue;
    }
    if (!words::make_busy(word, c)) continue;
    const Division d(c.write);
    words::for_each_part(d, part, [d](Cell* cell, ByteRange piece) {
      store_cell(cell, words::as_part(d, Cell{}, piece.size));
    });
    words::settle(word, c);
    return;
  }
}

// Whole words. Shadow pages never touched hold nothing to clear and are not even looked at:
// clearing a gigabyte of fresh memory costs a system call for each 8 MiB of it, not a sweep.
// Looking would also map the page of zeros there, and the first record has to replace it, which
// interrupts every other processor. Asking costs less than that from two pages of shadow on
// (montecarlo, size A: 62,000 faults instead of 102,000, two thirds of the time).
constexpr usize kWordsPerPage = sys::kPageBytes / sizeof(Cell);
constexpr usize kLargeBytes = usize{4} << 10;

// Some words side by side, in one region; groups that end before `stop` go as a whole.
void clear_run(Cell* word, uptr a, uptr end, uptr stop, OnSync on_sync, void* context) {
  // Most words that are cleared have no history: fresh memory, or cleared when it was freed.
  for (; a < end; a += 8, ++word)
    if (BF_UNLIKELY(!(load_cell(word) == Cell{})) && !clear_whole_group(word, a, stop))
      clear_word(word, a, on_sync, context);
}

// The words of a block of claims if each has its history in its own cell, and no object lives
// there: what most blocks have that are freed and handed out again. False: nothing was done.
bool clear_plain_block(Cell* words) {
  u64 all = 0;
  for (usize i = 0; i < shadow::kClaimBytes / 8; ++i) {
    const auto* halves = reinterpret_cast<const u64*>(&words[i]);
    const u64 half = load_relaxed(&halves[0]);
    const u32 mark = static_cast<u32>(half);
    all |= half | load_relaxed(&halves[1]);
    if (is_masked(mark)) continue;
    if (is_special(mark) || (half >> 32 & (kSyncFlag | kPartMask)) != 0) return false;
  }
  if (all == 0) return true;  // perhaps never used: a store would make it present
  for (usize i = 0; i < shadow::kClaimBytes / 8; ++i) store_cell(&words[i], Cell{});
  return true;
}

// All words of a block of claims: it is nobody's afterwards.
void clear_block(Cell* word, uptr a, uptr stop, OnSync on_sync, void* context) {
  u32* const claim = shadow::claim_word(a);
  if (shadow::claims_on && load_relaxed(claim) == shadow::kUnclaimed) return;  // nothing is there
  shadow::begin_clearing(claim);
  if (!clear_plain_block(word)) clear_run(word, a, a + shadow::kClaimBytes, stop, on_sync, context);
  shadow::end_clearing(claim);
}

void clear_words(uptr a, uptr end, OnSync on_sync, void* context) {
  while (a < end) {
    uptr region_end = (a | (abi::kRegionBytes - 1)) + 1;
    uptr stop = region_end < end ? region_end : end;
    Cell* word = shadow::cell_if_present<8>(a);
    for (uptr next; word != nullptr && a < stop; word += (next - a) / 8, a = next) {
      next = shadow::claim_begin(a) + shadow::kClaimBytes;
      if (next > stop) next = stop;
      if (next - a == shadow::kClaimBytes)
        clear_block(word, a, stop, on_sync, context);
      else
        clear_run(word, a, next, stop, on_sync, context);
    }
    a = stop;
  }
}

void clear_large(uptr a, uptr end, OnSync on_sync, void* context) {
  constexpr usize kBytesPerPage = kWordsPerPage * 8;
  constexpr usize kBatch = 1024;
  while (a < end) {
    uptr region_end = (a | (abi::kRegionBytes - 1)) + 1;
    uptr stop = region_end < end ? region_end : end;
    Cell* first = shadow::cell_if_present<8>(a);
    if (first == nullptr) {
      a = stop;
      continue;
    }
    u8 resident[kBatch];
    uptr page = reinterpret_cast<uptr>(first) & ~(sys::kPageBytes - 1);
    uptr page_address = a & ~(kBytesPerPage - 1);
    usize pages = (stop - page_address + kBytesPerPage - 1) / kBytesPerPage;
    if (pages > kBatch) pages = kBatch;
    sys::resident_pages(reinterpret_cast<void*>(page), pages, resident);
    for (usize i = 0; i < pages && a < stop; ++i) {
      uptr next = page_address + (i + 1) * kBytesPerPage;
      if (next > stop) next = stop;
      if (resident[i] & 1) clear_words(a, next, on_sync, context);
      a = next;
    }
  }
}

// One attempt is enough: who comes in between has a history of its own to leave.
void forget_word(Cell* word, uptr a) {
  Cell c = words::load_settled(word);
  if (!is_masked(c.write)) c = words::load_alone(word, a);
  Cell nothing{0, c.write_origin & kSyncFlag, 0, 0};
  if (!is_special(c.write) || is_masked(c.write)) {
    replace_cell(word, c, nothing);
  } else if (words::make_busy(word, c)) {
    words::blank_parts(Division(c.write), a & ~uptr{7});
    words::settle(word, nothing);
  }
}

}  // namespace

void mark_sync(uptr a) {
  change_flag(a, true);
}
void unmark_sync(uptr a) {
  change_flag(a, false);
}

void clear_history(ByteRange r, OnSync on_sync, void* context) {
  uptr a = r.begin, end = r.end();
  if (a >= end || !shadow::covers(end - 1)) return;
  uptr first = (a + 7) & ~uptr{7}, last = end & ~uptr{7};
  auto part = [&](uptr from, uptr to) {
    if (from >= to) return;
    if (Cell* word = shadow::cell_if_present<8>(from)) clear_part(word, {from, to - from});
  };
  if (first > last) return part(a, end);
  part(a, first);
  if (last - first >= kLargeBytes)
    clear_large(first, last, on_sync, context);
  else
    clear_words(first, last, on_sync, context);
  part(last, end);
}

bool has_history(ByteRange words) {
  for (uptr a = words.begin; a < words.end();) {
    const uptr region_end = (a | (abi::kRegionBytes - 1)) + 1;
    const uptr stop = region_end < words.end() ? region_end : words.end();
    const Cell* word = shadow::cell_if_present<8>(a);
    for (; word != nullptr && a < stop; a += 8, ++word)
      if (!(load_cell(word) == Cell{})) return true;
    a = stop;
  }
  return false;
}

template <unsigned G>
void forget_ordered(uptr a) {
  Cell* cell = shadow::cell_if_present<G>(a);
  if (cell == nullptr) return shadow::let_tests_find<G>(a);
  if constexpr (G == 8) {
    forget_word(cell, a);
  } else {
    const Cell c = load_cell(cell);
    replace_cell(cell, c, Cell{}.for_part(c.part_size()));
  }
}
template void forget_ordered<1>(uptr);
template void forget_ordered<2>(uptr);
template void forget_ordered<4>(uptr);
template void forget_ordered<8>(uptr);

}  // namespace bigfoot::rt
