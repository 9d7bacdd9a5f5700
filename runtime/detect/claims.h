// Who may change the cells of a block: shadow/claims.h, seen from an access.
#pragma once

#include "runtime/detect/rules.h"
#include "runtime/shadow/claims.h"
#include "runtime/shadow/group.h"
#include "runtime/shadow/planes.h"

namespace bigfoot::rt {

enum class Right : u8 {
  kNone,     // somebody else's claim is not known to be over
  kClaimed,  // the epoch has the block to itself
  kShared,
};

// What is left if the claim is neither the epoch's own nor shared: takes it over if it may be.
BF_SPARE Right take_claim(uptr a, const Observer& me);

// The observer's right to the block of `a`. It lasts as long as the epoch: a claim may become
// shared while the thread is outside of the run time, but nothing worse. REQUIRES: plane 8 has a
// region for `a`.
[[gnu::always_inline]] inline Right right_to(uptr a, const Observer& me) {
  const u32 claim = load_acquire(shadow::claim_word(a));
  if (BF_LIKELY(claim == raw(me.stamp))) return Right::kClaimed;
  if (claim == shadow::kShared) return Right::kShared;
  return take_claim(a, me);
}

// After something was recorded by compare-and-swap: the memory has not begun anew meanwhile.
[[gnu::always_inline]] inline bool still_shared(uptr a) {
  return BF_LIKELY(load_acquire(shadow::claim_word(a)) == shadow::kShared);
}

// --- several blocks, before the detector is asked (detector.h)

template <class F>
inline void for_each_block(ByteRange r, F&& f) {
  if (r.size == 0) return;
  for (uptr b = shadow::claim_begin(r.begin); b < r.end(); b += shadow::kClaimBytes) f(b);
}

// The bytes, as whole words, and those of the words that share a history with the first or the
// last.
ByteRange with_groups(ByteRange r);

// Sees to it that the observer has a right to all blocks of the bytes, and of groups that these are
// in. `take(block)` is asked for the right to one that is somebody else's: at the end of it the
// block is the observer's or shared.
template <class Take>
inline void obtain_rights(ByteRange r, const Observer& me, Take&& take) {
  if (r.size == 0) return;
  // Others may form a group meanwhile, as long as the blocks are theirs.
  for (ByteRange all = with_groups(r), had{};; all = with_groups(r)) {
    if (all.begin >= had.begin && all.end() <= had.end()) return;
    for_each_block(all, [&](uptr b) {
      shadow::cell<8>(b);  // the region is made, and with it its claims
      if (BF_UNLIKELY(right_to(b, me) == Right::kNone)) take(b);
    });
    had = all;
  }
}
// Whether nobody has taken any of them away: no part of the memory has begun anew.
bool has_rights(ByteRange r, Stamp mine);
// Whether nobody but the stamp's thread can have accessed the bytes in an epoch that is not over,
// as far as claims and words tell at a look; false says nothing. For memory that begins anew:
// others may remember what they have done there. (Whoever else accesses it while it is free leaves
// a claim or a record that is not this thread's, or races with its end: then it remembers nothing,
// see race_happened().)
bool is_only_of(ByteRange r, Stamp mine);
// Whether the words may become a group: they are all claimed, or all shared. Whoever has the right
// to one word of a group has it to all of them then, or can have it without a change of the group.
bool may_be_one_group(ByteRange r, Stamp mine);

}  // namespace bigfoot::rt
