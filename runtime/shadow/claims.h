// Claims: blocks of memory that one epoch has to itself.
//
// A cell is checked and replaced by one locked instruction, so that two racing threads cannot both
// miss each other. That instruction is half of what the first access of an epoch costs (10 of 21 ns
// on an Intel Xeon), and hardly any access needs it: programs that hand objects from thread to
// thread under locks are never at one object at the same time, and happens-before can tell so.
//
// Each block of 64 bytes has a word:
//
//   0        nobody's; nothing is recorded for any byte of it
//   stamp    claimed by that epoch. Everything that is recorded in the block is ordered before the
//            epoch, or belongs to it: no access of the epoch can race with any of it
//   shared   anybody's; cells are judged by the rules and replaced by compare-and-swap
//
// While a thread is in the epoch that has claimed a block, it alone changes cells of the block,
// with plain stores and without a look at what they tell. Another thread that knows of that epoch
// (its clock says so) knows that it is over: it puts its own stamp in the place of the old one, by
// a compare-and-swap, and the first line of this paragraph holds for it. One that does not know of
// it makes the block shared; if the epoch may still be going on, all threads have to be outside of
// the run time for a moment (context/claims.h). That is an access by two threads that nothing
// orders, to the same bytes or to others nearby: a race, reads of shared data, or neighbours.
//
// A block in which an atomic or another object of synchronisation lives is shared, because
// everybody asks its cells for the mark. So is one that histories of arrays have come to.
//
// A shared block is nobody's again when all of it is cleared at once, which happens when memory is
// handed out (unless threads were stopped for it: the word beside the claim says so). Whoever
// records something in a shared block looks afterwards whether it still is; who clears takes the
// block first and clears then: one of the two notices the other.
#pragma once

#include "runtime/shadow/cell.h"

namespace bigfoot::rt::shadow {

inline constexpr unsigned kClaimShift = 6;
inline constexpr usize kClaimBytes = usize{1} << kClaimShift;
// How far apart the words are. Side by side sixteen of them would share a line of the cache, and
// threads that claim neighbouring objects would take it from each other all the time.
inline constexpr usize kClaimStride = 16;

inline constexpr u32 kUnclaimed = 0;
inline constexpr u32 kBeingCleared = 1;      // for a moment; no stamp is so small
inline constexpr u32 kShared = kSpecialBit;  // no stamp has that bit
constexpr bool is_epoch(u32 claim) {
  return claim > kBeingCleared && claim != kShared;
}
static_assert(kBeingCleared < StampTable::kFirstChunk * StampTable::kChunkStamps);

// Whether blocks are claimed. Otherwise all are shared. Off in the beginning, because whoever
// claims must be able to stop the others.
inline constinit bool claims_on = false;

// For each region of plane 8 (planes.h), and as long as it: what its claims are counted from, as
// with cells; 0: there is no region.
extern u64 claim_directory[abi::kRegionCount];

// By the directory's entry. REQUIRES: there is one.
[[gnu::always_inline]] inline u32* claim_from(u64 claims, uptr a) {
  BF_DCHECK(claims != 0);
  return reinterpret_cast<u32*>(claims + (a >> kClaimShift) * kClaimStride);
}
// REQUIRES: plane 8 has a region for `a`.
[[gnu::always_inline]] inline u32* claim_word(uptr a) {
  return claim_from(load_relaxed(&claim_directory[a >> abi::kRegionBits]), a);
}
// Null: plane 8 has none.
inline u32* claim_word_if_present(uptr a) {
  return load_acquire(&claim_directory[a >> abi::kRegionBits]) == 0 ? nullptr : claim_word(a);
}

constexpr uptr claim_begin(uptr a) {
  return a & ~(kClaimBytes - 1);
}

// Before and after all cells of a block are cleared: its memory begins anew. REQUIRES: nobody uses
// the memory; who still does races with its end.
inline void begin_clearing(u32* claim) {
  if (load_relaxed(claim) == kShared) exchange(claim, kBeingCleared);
}
// A block that threads had to be stopped for stays shared: others will live there that are as near
// to each other, and would be stopped for it once more.
inline void end_clearing(u32* claim) {
  const u32 next = load_relaxed(claim + 1) != 0 ? kShared : kUnclaimed;
  if (load_relaxed(claim) != next) store_release(claim, next);
}
// REQUIRES: no other thread is inside the run time.
inline void share_for_good(u32* claim) {
  store_relaxed(claim + 1, u32{1});
  store_relaxed(claim, kShared);
}

// Before all history is given up: blocks are nobody's, but for those in which objects live.
// REQUIRES: nobody else is inside the run time.
void forget_claims();

// In the child of fork: blocks that a vanished thread was about to clear are shared.
void settle_claims_after_fork();

// Calls visit(block, claim) for all that are not zero. REQUIRES: nobody else is inside the run time.
void for_each_claim(void (*visit)(void* context, uptr block, u32* claim), void* context);
// Whether nothing is recorded for any byte of the block. REQUIRES: as above; plane 8 has a region.
bool is_blank_block(uptr block);

}  // namespace bigfoot::rt::shadow
