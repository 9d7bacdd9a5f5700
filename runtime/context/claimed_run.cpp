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

// REQUIRES: inside the run time.
template <bool kWrites>
bool record_run(Thread& t, ByteRange r, ByteRange access, AccessKind kind, Pc pc) {
  const u32 mine = raw(t.stamp);
  Origin from = kNoOrigin;
  const auto origin = [&] {
    if (from == kNoOrigin) from = detail::quick_origin(t, pc, kind, access);
    return from;
  };
  Cell* word = shadow::detail::cell_from<8>(shadow::detail::cells_of<8>(r.begin), r.begin);
  uptr a = r.begin, block_end = a;
  for (uptr next; a < r.end(); a = next, ++word) {
    next = (a & ~uptr{7}) + 8;
    if (next > block_end) {
      if (BF_UNLIKELY(!detail::keep_claim(shadow::claim_word(a), mine))) return false;
      block_end = shadow::claim_begin(a) + shadow::kClaimBytes;
    }
    const uptr stop = next <= r.end() ? next : r.end();
    if (BF_UNLIKELY(!detail::record_in_claimed<kWrites>(word, a, mask_of(a, stop - a), mine, origin,
                                                        t.mosaic_steps)) &&
        !record_otherwise<kWrites>({t, access, kind, pc, origin()}, a, stop))
      return false;
  }
  return true;
}

}  // namespace

template <bool kWrites>
bool claimed_run(ByteRange r, ByteRange access, AccessKind kind, Pc pc) {
  if (BF_UNLIKELY(r.size - 1 >= kMostBytesOfARun || !in_one_region(r))) return false;
  if (!detail::is_claimed(r.begin)) return false;
  Thread& t = *thread_or_null();  // it has a claim
  // While races stop, an access is recorded as a whole or not at all: what follows these blocks may
  // race.
  if (BF_UNLIKELY(t.ignore_accesses != 0 || load_relaxed(&runtime.races_stop))) return false;
  bool done = false;
  if (BF_LIKELY(detail::enter_quickly())) {
    note_recorded(t);  // the claim counts as a record
    done = record_run<kWrites>(t, r, access, kind, pc);
    if (done)
      ++t.rule_counts[static_cast<usize>(kWrites ? Rule::kWriteExclusive : Rule::kReadExclusive)];
  }
  detail::leave_quickly();
  return done;
}
template bool claimed_run<false>(ByteRange, ByteRange, AccessKind, Pc);
template bool claimed_run<true>(ByteRange, ByteRange, AccessKind, Pc);

}  // namespace bigfoot::rt
