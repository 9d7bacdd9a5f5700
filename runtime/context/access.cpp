// Plain accesses: from the program to the detector, and from there to the report.
#include "runtime/context/arrays.h"
#include "runtime/context/claimed_run.h"
#include "runtime/context/claims.h"
#include "runtime/context/events.h"
#include "runtime/context/older_access.h"
#include "runtime/context/on_race.h"
#include "runtime/context/perturb.h"
#include "runtime/context/reclaim.h"
#include "runtime/context/runtime.h"
#include "runtime/context/slow_path.h"
#include "runtime/detect/detector_impl.h"
#include "runtime/detect/quick_range.h"

namespace bigfoot::rt {

Origin origin_of(Thread& t, Pc pc) {
  return event_origin(t, pc);
}
ThreadId id_of(const Thread& t) {
  return t.id;
}

namespace {

Origin origin_of(const PendingAccess& p) {
  if (p.origin != kNoOrigin) return p.origin;
  return p.thread.origins.get(runtime.depot, place(p.thread, p.pc, p.kind, p.bytes));
}

void report_race(void* context, const FoundRace& found) {
  auto& p = *static_cast<PendingAccess*>(context);
  p.raced = true;
  race_happened(describe_race(p, found),
                p.quiet ? Telling::kListener : Telling::kListenerAndReport);
}

}  // namespace

report::Race describe_race(const PendingAccess& p, const FoundRace& found) {
  report::Race race;
  const Origin origin = origin_of(p);
  race.current = {p.kind,
                  p.bytes.begin,
                  p.bytes.size,
                  p.thread.id,
                  origin,
                  p.thread.clock,
                  locks_at(origin, p.thread.stamp)};
  show_vptr_write(race.current);
  race.previous = older_access(past_access(found.older), found.piece);
  race.overlap = found.piece;
  return race;
}

namespace {

// From the start of a possible 16-byte atomic on: its record lives in the lower of its two words.
constexpr uptr first_word_of_atomics(uptr a) {
  return a & ~uptr{15};
}

void finish(const Outcome& out, PendingAccess& p) {
  if (out.recorded) note_recorded(p.thread);
  if (BF_UNLIKELY(out.sync_here)) check_atomics(p, p.bytes, race_sink(p));
}

using detail::know_set;
using detail::make_room;
using detail::make_room_for;
using detail::remember_set;

// Whether atomics, or other objects, may overlap these bytes.
bool meets_objects(ByteRange r) {
  for (uptr word = first_word_of_atomics(r.begin); word < r.end(); word += 8) {
    const Cell* cell = shadow::cell_if_present<8>(word);
    if (cell != nullptr && load_cell(cell).has_sync()) return true;
  }
  return false;
}

// Whether one cell tells all there is to know of the bytes: then judging and recording are one
// step.
bool in_one_cell(ByteRange r) {
  if (((r.begin ^ (r.end() - 1)) & ~uptr{7}) != 0 || meets_objects(r)) return false;
  const Cell* word = shadow::cell_if_present<8>(r.begin);
  return word == nullptr || !is_special(load_cell(word).write);
}

// While races stop: whether the access is. Anything that is recorded in several steps is judged as
// a whole before the first.
bool is_stopped(PendingAccess& p) {
  return BF_UNLIKELY(races_stop()) && !in_one_cell(p.bytes) && races(p);
}

template <unsigned G, bool kWrites>
void aligned_access(Thread& t, uptr a, Pc pc) {
  reclaim_if_needed();
  make_room<G>(a);
  PendingAccess p{t, {a, G}, kWrites ? AccessKind::kWrite : AccessKind::kRead, pc};
  if (is_stopped(p)) return;
  with_right(t, p.bytes, [&] {
    Accessor who = accessor(p);
    finish(detail::access<kWrites>(who, {a, G}), p);
  });
  if constexpr (!kWrites) remember_set(shadow::cell<G>(a)->read, t);
}

}  // namespace

RaceSink race_sink(PendingAccess& p) {
  return {&p, report_race};
}

Accessor accessor(PendingAccess& p) {
  Thread& t = p.thread;
  if (BF_UNLIKELY(t.sets_generation != runtime.sets_generation)) {
    t.share_cache.clear();
    t.sets_generation = runtime.sets_generation;
  }
  return {observer(t),   runtime.sets,  t.share_cache,
          t.origins,     runtime.depot, place(t, p.pc, p.kind, p.bytes),
          t.rule_counts, race_sink(p),  p.origin,
          races_stop()};
}

void check_atomics(const PendingAccess& p, ByteRange part, const RaceSink& sink) {
  Observer me = observer(p.thread);
  for (uptr word = first_word_of_atomics(part.begin); word < part.end(); word += 8) {
    FoundRace race{};
    {
      SyncTable::Bucket& bucket = runtime.syncs.bucket(word);
      SpinGuard guard(bucket.lock);
      bucket.for_each_in_word(word, [&](SyncVar& v) {
        if (race.older || v.address >= part.end() || v.bytes().end() <= part.begin) return;
        for (const AtomicEntry& e : v.atomics) {
          if (!e.writes && !is_write(p.kind)) continue;
          const ByteRange bytes{v.address, e.size};
          if (bytes.end() <= part.begin || happened_before(e.stamp, me)) continue;
          race = {{e.stamp, e.origin}, bytes};
        }
      });
    }
    if (race.older) sink.found(sink.context, race);
  }
}

template <unsigned G, bool kWrites>
void full_access(uptr a, Pc pc) {
  if (!shadow::covers(a)) return;
  if (__bf_thread.stamp == abi::kStampSingle) {
    // Alone: nothing to check or record. Whatever the cell tells is ordered before everything that
    // is still to come, so it may go, and the inlined test passes from now on.
    RuntimeScope scope;
    return forget_ordered<G>(a);
  }
  RuntimeScope scope;
  Thread& t = current_thread();
  if (t.ignore_accesses != 0 || runtime.single) return;
  perturb(t, PerturbPoint::kAccess);
  const bool in_planes = !runtime.arrays_on || array_part(a, a + G).array == nullptr;
  if ((a & (G - 1)) == 0 && in_planes)
    aligned_access<G, kWrites>(t, a, pc);
  else
    access_range(t, {a, G}, kWrites ? AccessKind::kWrite : AccessKind::kRead, pc);
}

template void full_access<1, false>(uptr, Pc);
template void full_access<2, false>(uptr, Pc);
template void full_access<4, false>(uptr, Pc);
template void full_access<8, false>(uptr, Pc);
template void full_access<1, true>(uptr, Pc);
template void full_access<2, true>(uptr, Pc);
template void full_access<4, true>(uptr, Pc);
template void full_access<8, true>(uptr, Pc);

template <unsigned G, bool kWrites>
bool access_in_parts(uptr a, Pc pc, Pieces pieces) {
  const ByteRange bytes{a, G};
  const bool one_word = ((a ^ (a + G - 1)) & ~uptr{7}) == 0;
  if (!one_word && runtime.arrays_on && !surely_in_planes(bytes) && may_be_in_array(bytes))
    return false;
  return detail::try_bytes_quickly<kWrites>(bytes, pc, pieces);
}

template bool access_in_parts<1, false>(uptr, Pc, Pieces);
template bool access_in_parts<2, false>(uptr, Pc, Pieces);
template bool access_in_parts<4, false>(uptr, Pc, Pieces);
template bool access_in_parts<8, false>(uptr, Pc, Pieces);
template bool access_in_parts<1, true>(uptr, Pc, Pieces);
template bool access_in_parts<2, true>(uptr, Pc, Pieces);
template bool access_in_parts<4, true>(uptr, Pc, Pieces);
template bool access_in_parts<8, true>(uptr, Pc, Pieces);

void full_range(ByteRange bytes, AccessKind kind, Pc pc) {
  if (__bf_thread.stamp == abi::kStampSingle) {
    if (BF_UNLIKELY(__bf_thread.signal_pending != 0)) deliver_pending_signals();
    return;
  }
  RuntimeScope scope;
  access_range(current_thread(), bytes, kind, pc);
}

[[gnu::noinline]] bool make_usual() {
  const u32 mine = __bf_thread.stamp;
  const Thread* t = thread_or_null();
  if (BF_UNLIKELY(mine == abi::kStampSingle || t == nullptr || !is_usual(*t))) return false;
  if (shadow::first_records_are_counted) return false;
  store_relaxed(&__bf_thread.usual, mine);
  return true;
}

[[gnu::noinline]] bool make_usual_claim(u32* claim) {
  return make_usual() && detail::keep_claim(claim, __bf_thread.stamp);
}

Origin new_origin(Thread& t, Pc pc, AccessKind kind, ByteRange bytes) {
  perturb(t, PerturbPoint::kAccess);
  return t.origins.get(runtime.depot, place(t, pc, kind, bytes));
}

template <bool kWrites>
Quick try_rules(const PendingAccess& p, Cell* cell, u64 write, u64 read) {
  perturb(p.thread, PerturbPoint::kAccess);
  const Cell seen{static_cast<u32>(write), static_cast<u32>(write >> 32), static_cast<u32>(read),
                  static_cast<u32>(read >> 32)};
  if constexpr (!kWrites) {
    // The commonest of what the rules are asked for: before an Accessor is made.
    Thread& t = p.thread;
    const Quick q = quick_in_place(cell, seen, observer(t), runtime.sets, t.rule_counts,
                                   [&] { return origin_of(p); });
    if (q != Quick::kNotQuick) note_recorded(t);
    if (q == Quick::kByRules) know_set(seen.read, t);
    if (q != Quick::kNotQuick) return q;
  }
  if (reclaim_is_due()) return Quick::kNotQuick;
  PendingAccess pending = p;  // nothing is reported from here
  Accessor who = accessor(pending);
  const Quick q = quick_step<kWrites>(cell, seen, who);
  if (q != Quick::kByRules) return q;
  note_recorded(p.thread);
  if constexpr (!kWrites) remember_set(load_relaxed(&cell->read), p.thread);
  return q;
}
template Quick try_rules<false>(const PendingAccess&, Cell*, u64, u64);
template Quick try_rules<true>(const PendingAccess&, Cell*, u64, u64);

void deliver_pending_signals_sparing() {
  deliver_pending_signals();
}

// What QuickRange asks of an access.
template <bool kWrites>
class RangeAccess {
 public:
  explicit RangeAccess(const PendingAccess& p) : p_(p) {}
  detail::RulesOf<kWrites> rules() const { return {p_.thread, p_.bytes, p_.kind, p_.pc}; }
  Observer me() const { return observer(p_.thread); }
  bool has_read(u32 read) const { return detail::is_known_read(read); }
  Origin origin() {
    if (from_ == kNoOrigin)
      from_ = p_.thread.origins.get(runtime.depot, place(p_.thread, p_.pc, p_.kind, p_.bytes));
    return from_;
  }

 private:
  const PendingAccess& p_;
  Origin from_ = kNoOrigin;
};

// The bytes [a, stop) of one word, by the full rules.
template <bool kWrites>
static void word_access(PendingAccess& p, uptr a, uptr stop) {
  ByteRange piece{a, stop - a};
  make_room_for(piece);
  Outcome out;
  with_right(p.thread, piece, [&] {
    Accessor who = accessor(p);
    out = kWrites ? detect_write_range(who, piece) : detect_read_range(who, piece);
    if (out.recorded) note_recorded(p.thread);
  });
  if (!kWrites) remember_set(load_relaxed(&shadow::cell<8>(a)->read), p.thread);
  if (BF_UNLIKELY(out.sync_here)) check_atomics(p, piece, race_sink(p));
}

template <bool kWrites>
static void range_access(PendingAccess& p) {
  RangeAccess<kWrites> access(p);
  QuickRange<kWrites, RangeAccess<kWrites>> quick(access);
  shadow::BlocksOfAWalk blocks;
  uptr a = p.bytes.begin, end = p.bytes.end();
  for (uptr stop; a < end; a = stop) {
    stop = (a & ~uptr{7}) + 8;
    if (stop > end) stop = end;
    blocks.enter<8>(a);
    if (a == p.bytes.begin || shadow::claim_begin(a) == a) {
      const uptr block_end = shadow::claim_begin(a) + shadow::kClaimBytes;
      const uptr run_end = block_end < end ? block_end : end;
      if (claimed_run<kWrites>({a, run_end - a}, p.bytes, p.kind, p.pc)) {
        stop = run_end;
        continue;
      }
    }
    if (quick.word(a, stop)) continue;
    if ((a & 7) == 0)
      if (const usize shared = quick.group(a, end); shared != 0) {
        stop = a + shared;
        continue;
      }
    if (quick.recorded()) note_recorded(p.thread);
    word_access<kWrites>(p, a, stop);
    quick.look_again();
  }
  if (quick.recorded()) note_recorded(p.thread);
}

static void planes_range(Thread& t, ByteRange bytes, AccessKind kind, Pc pc) {
  PendingAccess p{t, bytes, kind, pc};
  if (is_stopped(p)) return;
  if (is_write(kind)) return range_access<true>(p);
  range_access<false>(p);
}

bool races(PendingAccess& p) {
  const RaceSink sink = race_sink(p);
  obtain(p.thread, p.bytes);  // groups are cut to be looked at
  if (meets_objects(p.bytes)) check_atomics(p, p.bytes, sink);
  if (!p.raced) find_conflicts(observer(p.thread), runtime.sets, p.bytes, is_write(p.kind), sink);
  return p.raced;
}

void checked_access(PendingAccess& p, Racing racing) {
  reclaim_if_needed();
  if (BF_UNLIKELY(runtime.arrays_on)) arrays_into_planes(p.thread, p.bytes);
  if (racing == Racing::kStopped && races(p)) return;
  with_right(p.thread, p.bytes, [&] {
    Accessor who = accessor(p);
    who.stops_at_race |= racing == Racing::kStopped;
    const bool writes = is_write(p.kind);
    finish(writes ? detect_write_range(who, p.bytes) : detect_read_range(who, p.bytes), p);
  });
}

void access_range(Thread& t, ByteRange bytes, AccessKind kind, Pc pc) {
  if (bytes.size == 0 || runtime.single || t.ignore_accesses != 0) return;
  if (!shadow::covers(bytes.begin) || !shadow::covers(bytes.end() - 1)) return;
  if (is_write(kind) ? claimed_run<true>(bytes, bytes, kind, pc)
                     : claimed_run<false>(bytes, bytes, kind, pc))
    return;
  RuntimeScope scope;
  reclaim_if_needed();
  if (BF_LIKELY(!runtime.arrays_on)) return planes_range(t, bytes, kind, pc);
  array_range(t, bytes, kind, pc, [&](ByteRange part) { planes_range(t, part, kind, pc); });
}

}  // namespace bigfoot::rt
