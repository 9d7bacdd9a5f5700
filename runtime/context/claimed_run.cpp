#include "runtime/context/claimed_run.h"

namespace bigfoot::rt {
namespace {

bool in_one_region(ByteRange r) {
  return (r.end() - 1) >> abi::kAddressBits == 0 &&
         r.begin >> abi::kRegionBits == (r.end() - 1) >> abi::kRegionBits;
}

// What QuickRange asks of an access.
template <bool kWrites>
struct PartOfARun {
  Thread& thread;
  ByteRange bytes;  // of one access
  AccessKind kind;
  Pc pc;
  Origin from;
  Observer me() const { return observer(thread); }
  bool has_read(u32 read) const { return detail::is_known_read(read); }
  detail::RulesOf<kWrites> rules() const { return {thread, bytes, kind, pc}; }
  Origin origin() const { return from; }
};

// Bytes of a word that is not for record_in_claimed().
template <bool kWrites>
[[gnu::noinline]] bool record_otherwise(PartOfARun<kWrites> part, uptr a, uptr stop) {
  QuickRange<kWrites, PartOfARun<kWrites>> quick(part);
  return quick.word(a, stop);
}

// Records bytes from lower to higher addresses. REQUIRES: inside the run time, all bytes are in one
// region, `access` as for claimed_run().
template <bool kWrites>
class Recorder {
 public:
  Recorder(Thread& t, ByteRange access, AccessKind kind, Pc pc)
      : t_(t), access_(access), kind_(kind), pc_(pc), mine_(raw(t.stamp)) {}

  // False: not all of them were.
  [[gnu::always_inline]] bool record(ByteRange r) {
    Cell* word = shadow::detail::cell_from<8>(shadow::detail::cells_of<8>(r.begin), r.begin);
    uptr a = r.begin;
    for (uptr next; a < r.end(); a = next, ++word) {
      next = (a & ~uptr{7}) + 8;
      if (next > block_end_) {
        if (BF_UNLIKELY(!keep_block(a))) return false;
        block_end_ = shadow::claim_begin(a) + shadow::kClaimBytes;
      }
      const uptr stop = next <= r.end() ? next : r.end();
      const auto from = [this] { return origin(); };
      if (BF_UNLIKELY(!detail::record_in_claimed<kWrites>(word, a, mask_of(a, stop - a), mine_,
                                                          from, t_.mosaic_steps)) &&
          !record_otherwise<kWrites>({t_, access_, kind_, pc_, origin()}, a, stop))
        return false;
    }
    return true;
  }

 private:
  // Its own block, or one that was an earlier epoch's and may be taken over: such a one is in no
  // array either.
  bool keep_block(uptr a) const {
    u32* const claim = shadow::claim_word(a);
    u32 seen = load_acquire(claim);
    if (BF_LIKELY(seen == mine_)) return true;
    if (!shadow::is_epoch(seen) || !shadow::claims_on) return false;
    if (!happened_before(Stamp{seen}, observer(t_))) return false;
    return compare_exchange(claim, seen, mine_);
  }
  Origin origin() {
    if (from_ == kNoOrigin) from_ = detail::quick_origin(t_, pc_, kind_, access_);
    return from_;
  }

  Thread& t_;
  const ByteRange access_;
  const AccessKind kind_;
  const Pc pc_;
  const u32 mine_;
  Origin from_ = kNoOrigin;
  uptr block_end_ = 0;
};

// The thread, if something may be recorded that begins in a block of its own, or of an epoch that
// is over.
Thread* may_record(ByteRange r) {
  if (BF_UNLIKELY(r.size - 1 >= kMostBytesOfARun || !in_one_region(r))) return nullptr;
  if (__bf_thread.stamp == abi::kStampSingle) return nullptr;
  const u32* claim = shadow::claim_word_if_present(r.begin);
  if (claim == nullptr || !shadow::is_epoch(load_relaxed(claim))) return nullptr;
  Thread* t = thread_or_null();
  // While races stop, an access is recorded as a whole or not at all: what follows these blocks may
  // race.
  const bool no = t == nullptr || t->ignore_accesses != 0 || load_relaxed(&runtime.races_stop);
  return BF_UNLIKELY(no) ? nullptr : t;
}

}  // namespace

template <bool kWrites>
bool claimed_run(ByteRange r, ByteRange access, AccessKind kind, Pc pc) {
  Thread* const t = may_record(r);
  if (t == nullptr) return false;
  bool done = false;
  if (BF_LIKELY(detail::enter_quickly())) {
    note_recorded(*t);  // the claim counts as a record
    done = Recorder<kWrites>(*t, access, kind, pc).record(r);
    if (done)
      ++t->rule_counts[static_cast<usize>(kWrites ? Rule::kWriteExclusive : Rule::kReadExclusive)];
  }
  detail::leave_quickly();
  return done;
}
template bool claimed_run<false>(ByteRange, ByteRange, AccessKind, Pc);
template bool claimed_run<true>(ByteRange, ByteRange, AccessKind, Pc);

namespace {
template <bool kWrites>
bool record_elements(Thread& t, const ElementRange& r, Pc pc) {
  Recorder<kWrites> recorder(t, {0, r.size}, r.kind, pc);
  const uptr end = r.begin + r.extent;
  for (uptr a = r.begin; a < end; a += r.step)
    if (!recorder.record({a, r.width})) return false;
  ++t.rule_counts[static_cast<usize>(kWrites ? Rule::kWriteExclusive : Rule::kReadExclusive)];
  return true;
}
}  // namespace

bool claimed_elements(Thread& t, const ElementRange& r, Pc pc) {
  if (((r.begin | r.step | r.width) & (r.size - 1)) != 0 || r.step < r.width) return false;
  if (may_record({r.begin, r.extent + r.width}) == nullptr) return false;
  note_recorded(t);  // the claim counts as a record
  return is_write(r.kind) ? record_elements<true>(t, r, pc) : record_elements<false>(t, r, pc);
}

}  // namespace bigfoot::rt
