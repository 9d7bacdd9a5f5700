#include "runtime/context/claims.h"

#include "runtime/base/check.h"
#include "runtime/context/events.h"
#include "runtime/context/reclaim.h"
#include "runtime/context/threads.h"
#include "runtime/options/options.h"
#include "runtime/shadow/group.h"
#include "runtime/sys/sys.h"

namespace bigfoot::rt {
namespace {

using shadow::claim_begin;
using shadow::claim_word;
using shadow::kClaimBytes;
using shadow::kShared;

// Taking a claim from a thread that is in its epoch stops all threads for some microseconds, as
// long as some hundred accesses take that gain by claims. Where it happens now and then the block
// alone becomes shared. Where it happens often (threads that read a large structure, all of them)
// so do its neighbours, more of them each time: a burst of kBurst stops is free, and every kPause
// another one.
class Stops {
 public:
  // How many bytes around a block become shared with it.
  usize count_one(u64 now) {
    const u64 passed = (now - last_) / kPause;
    if (passed != 0) {
      last_ = now;
      recent_ = recent_ > passed ? recent_ - passed : 0;
    }
    ++all_;
    const u64 over = ++recent_ > kBurst ? (recent_ - kBurst) / kPerDoubling : 0;
    return kClaimBytes << (over < kMostDoublings ? over : kMostDoublings);
  }
  u64 all() const { return all_; }

 private:
  static constexpr u64 kBurst = 64, kPerDoubling = 8;
  static constexpr u64 kPause = u64{1} << 20;  // of the processor's clock: about half a millisecond
  static constexpr u64 kMostDoublings = 10;    // 64 KiB: a look at a thousand claims
  u64 last_ = 0;
  u64 recent_ = 0;
  u64 all_ = 0;
};
constinit Stops stops;  // of whoever has stopped the others

// Whether everything that the stamp's thread did by its claims is over. If so, this thread sees it.
bool is_over(Stamp s) {
  const Epoch e = runtime.stamps.decode(s);
  return e.clock < unpublished_time(e.slot);
}

// REQUIRES: the others are stopped.
void share_around(uptr a, const Observer& me) {
  const usize window = stops.count_one(__builtin_ia32_rdtsc());
  const uptr begin = a & ~(window - 1);
  for (uptr b = begin; b < begin + window; b += kClaimBytes) {
    const u32 claim = load_relaxed(claim_word(b));
    const bool foreign = shadow::is_epoch(claim) && claim != raw(me.stamp);
    if (b == claim_begin(a) || (foreign && !happened_before(Stamp{claim}, me)))
      shadow::share_for_good(claim_word(b));
  }
}

void stop_and_share(uptr a, const Observer& me) {
  if (others_are_stopped()) return share_around(a, me);
  const OthersStopped others;
  if (!others) die("cannot go on", "the system no longer stops threads (membarrier)");
  share_around(a, me);
}

enum class Wanted : u8 { kRight, kShared };

// The block of `a` becomes what is wanted, whatever it is.
void settle_block(uptr a, const Observer& me, Wanted wanted) {
  u32* const claim = claim_word(a);
  for (;;) {
    u32 seen = load_acquire(claim);
    if (seen == kShared) return;
    if (seen == shadow::kBeingCleared) {
      cpu_pause();
      continue;
    }
    if (wanted == Wanted::kRight && right_to(a, me) != Right::kNone) return;
    // Its own is at no access now, and what nobody is at needs no more than the change itself.
    const bool idle = !shadow::is_epoch(seen) || seen == raw(me.stamp) ||
                      happened_before(Stamp{seen}, me) || is_over(Stamp{seen});
    if (!idle)
      stop_and_share(a, me);
    else if (compare_exchange(claim, seen, kShared))
      return;
  }
}

}  // namespace

void initialise_claims() {
  shadow::claims_on = !options().test_no_claims && sys::barrier_all_threads();
}

u64 claim_stops() {
  return stops.all();
}

void stop_claiming() {
  shadow::claims_on = false;
}

// A claim counts as a record: who is given the thread's slot takes it over, and must be ordered
// after what the thread knew when it claimed.
void obtain(Thread& t, ByteRange r) {
  const Observer me = observer(t);
  obtain_rights(r, me, [&](uptr block) { settle_block(block, me, Wanted::kRight); });
  note_recorded(t);
}

void obtain_for_transfer(Thread& t, ByteRange from, uptr to, Transferred how) {
  const Observer me = observer(t);
  for_each_block(from, [&](uptr b) {
    const bool moved = how == Transferred::kMoved;
    const u32* claim = shadow::claim_word_if_present(b);
    if (claim == nullptr) return;  // nothing is there
    if (moved && load_acquire(claim) == shadow::kUnclaimed) return;
    const uptr begin = b > from.begin ? b : from.begin;
    const uptr end = b + kClaimBytes < from.end() ? b + kClaimBytes : from.end();
    obtain(t, {begin, end - begin});
    const ByteRange target{to + (begin - from.begin), end - begin};
    obtain(t, target);
    // What comes from a shared block may be ordered with nothing. And what is copied may be read by
    // others meanwhile, who share it.
    if (moved && load_acquire(claim) != kShared) return;
    for_each_block(target, [&](uptr block) { settle_block(block, me, Wanted::kShared); });
  });
}

void share_for_object_slowly(uptr a) {
  const Observer me = observer(current_thread());
  const auto share = [&](uptr block) { settle_block(block, me, Wanted::kShared); };
  shadow::cell<8>(a);
  share(a);
  // The word leaves its group.
  obtain_rights({a, 1}, me, share);
  for_each_block(with_groups({a, 1}), share);
}

void share_ends(ByteRange r) {
  const auto share = [](uptr a) {
    shadow::cell<8>(a);
    store_release(claim_word(a), kShared);
  };
  share(r.begin);
  share(r.end() - 1);
}

void give_up_claims(ByteRange r) {
  for_each_block(r, [](uptr b) {
    u32* const claim = shadow::claim_word_if_present(b);
    if (claim != nullptr && shadow::is_epoch(load_relaxed(claim)))
      store_release(claim, shadow::kUnclaimed);
  });
}

}  // namespace bigfoot::rt
