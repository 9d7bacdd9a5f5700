// Bytes that this epoch has accessed already, remembered by block of 64.
//
// The cells say the same ([SAME EPOCH]), but not always at one look: a byte's record may be in its
// word's cell with a mask, in a part of the word, or in a plane of its own, and finding out took 50
// to 70 instructions for most bytes, shorts and ints that SQLite reads again. Here it takes about
// ten, and no line of the cache is touched but those of a small table. What is not remembered is
// looked for in the cells, as ever.
//
// Why it may be believed. While an epoch lasts, nobody is ordered after its accesses: whoever
// accesses the same bytes in conflict with one of them races, and has been told of it. So a record
// of the epoch that is displaced from the cells need not be made again, except where the memory
// itself begins anew, without an event of the thread: then it is forgotten (SettledBytes::forget,
// by whoever clears it). Epochs are told apart by a number that the thread counts up with each of
// them, not by their stamps, which are given out again.
//
// Signals. A handler may come between any two instructions of a look, and remember something else
// in the same place. So each handler begins with another number (SettledBytesApart), and a look
// compares the block's name before and after it loads the bytes: if a handler has been at that
// place, the name has another number. Nobody remembers anything outside of the run time, where
// handlers run; and what was found in the cells before that only if the number is still the same.
#pragma once

#include "abi/layout.h"
#include "runtime/base/atomic.h"
#include "runtime/base/check.h"
#include "runtime/base/types.h"

namespace bigfoot::rt {

//   name   | number of the epoch : 23 | address / 64 : 41 |
struct alignas(32) SettledBlock {
  u64 name;   // 0: nobody's
  u64 read;   // its bytes that were read or written, a bit each
  u64 wrote;  // those that were written
};
static_assert(sizeof(SettledBlock) == 32);

class SettledBytes {
 public:
  static constexpr unsigned kBlockShift = 6;
  static constexpr unsigned kCount = 256;  // 16 KiB of the program
  static constexpr u64 kEpochStep = u64{1} << (abi::kAddressBits - kBlockShift);
  static_assert(abi::kAddressBits - kBlockShift == 41);

  // Whether the epoch has accessed so [a, a + size): what lies in one block is found.
  template <bool kWrites>
  [[gnu::always_inline]] static bool contain(const abi::ThreadHot& hot, uptr a, unsigned size) {
    const SettledBlock* b = block_of(hot, a);
    const u64 name = name_of(hot, a);
    if (load_relaxed(&b->name) != name) return false;
    const u64 done = load_relaxed(kWrites ? &b->wrote : &b->read) >> (a & kLast);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if ((~done & ((u64{1} << size) - 1)) != 0) return false;  // zeros come in behind the block
    return BF_LIKELY(load_relaxed(&b->name) == name);
  }

  // Before the cells are asked what they tell of the epoch; what is found there may be added as
  // long as the number is the same.
  [[gnu::always_inline]] static void begin_look(abi::ThreadHot& hot) {
    store_relaxed(&hot.looked_epoch, load_relaxed(&hot.settled_epoch));
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
  }
  [[gnu::always_inline]] static bool look_is_valid(const abi::ThreadHot& hot) {
    return BF_LIKELY(hot.looked_epoch == hot.settled_epoch);
  }

  // REQUIRES: the epoch has accessed [a, a + size) so and recorded that; 0 < size < 64; no handler
  // of a signal can come.
  template <bool kWrites>
  [[gnu::always_inline]] static void add(abi::ThreadHot& hot, uptr a, unsigned size) {
    add_bytes<kWrites>(hot, a, (u64{1} << size) - 1);
  }
  // The same for the bytes from `a` on that have a bit; what is behind the block is dropped.
  template <bool kWrites>
  [[gnu::always_inline]] static void add_bytes(abi::ThreadHot& hot, uptr a, u64 bits) {
    if (BF_UNLIKELY(hot.settled_bytes == none || a >> abi::kAddressBits != 0)) return;
    SettledBlock* b = block_of(hot, a);
    const u64 name = name_of(hot, a);
    const u64 bytes = bits << (a & kLast);
    // A name that is there already is not stored: another thread may just forget it, and with it
    // what others than these bytes tell.
    if (load_relaxed(&b->name) == name) {
      store_relaxed(&b->read, b->read | bytes);
      if constexpr (kWrites) store_relaxed(&b->wrote, b->wrote | bytes);
    } else {
      store_relaxed(&b->read, bytes);
      store_relaxed(&b->wrote, kWrites ? bytes : u64{0});
      store_relaxed(&b->name, name);
    }
  }

  // Memory ends or begins: nothing is known of it any more. May be called for another thread, which
  // does not access the memory meanwhile.
  static void forget(abi::ThreadHot& hot, uptr begin, uptr end) {
    if (hot.settled_bytes == none || begin >= end) return;
    const uptr first = begin >> kBlockShift, last = (end - 1) >> kBlockShift;
    if (last - first < kCount) {
      for (uptr i = first; i <= last; ++i) store_relaxed(&table(hot)[i % kCount].name, u64{0});
      return;
    }
    for (unsigned i = 0; i < kCount; ++i) {
      const u64 block = load_relaxed(&table(hot)[i].name) & (kEpochStep - 1);
      if (first <= block && block <= last) store_relaxed(&table(hot)[i].name, u64{0});
    }
  }
  // Another epoch begins, or nothing is to be known any more for another reason.
  // (In one step: a handler of a signal that comes in between begins others, and the number must
  // not go back behind those.)
  static void begin_epoch(abi::ThreadHot& hot) {
    if (BF_LIKELY(fetch_add(&hot.settled_epoch, kEpochStep) + kEpochStep != 0)) return;
    forget(hot, 0, ~uptr{0});
    fetch_add(&hot.settled_epoch, kEpochStep);  // a name of nobody's is 0
  }

  // Of threads that remember nothing.
  static SettledBlock none[kCount];

 private:
  static constexpr u64 kLast = (u64{1} << kBlockShift) - 1;
  static SettledBlock* table(const abi::ThreadHot& hot) {
    return static_cast<SettledBlock*>(hot.settled_bytes);
  }
  [[gnu::always_inline]] static SettledBlock* block_of(const abi::ThreadHot& hot, uptr a) {
    return &table(hot)[(a >> kBlockShift) % kCount];
  }
  [[gnu::always_inline]] static u64 name_of(const abi::ThreadHot& hot, uptr a) {
    return a >> kBlockShift | hot.settled_epoch;
  }
};

}  // namespace bigfoot::rt
