// Plain accesses: from the program to the detector, and from there to the report.
#include "runtime/context/events.h"
#include "runtime/context/runtime.h"
#include "runtime/context/slow_path.h"
#include "runtime/report/report.h"

namespace bigfoot::rt {
namespace {

Accessor accessor(Thread& t, Pc pc, AccessKind kind, u64 size) {
  return {observer(t), runtime.sets, t.share_cache, t.origins, runtime.depot,
          place(t, pc, kind, size), t.rule_counts};
}

// The older access as the report shows it. The cell knows a piece; the access it came from was larger
// or as large, and if no larger than a word it was naturally aligned.
report::Access older_access(const Conflict& c, ByteRange piece) {
  Epoch e = runtime.stamps.decode(c.stamp);
  report::Access a;
  a.kind = runtime.depot.kind(c.origin);
  a.size = runtime.depot.size(c.origin);
  a.address = piece.begin;
  if (a.size > piece.size && a.size <= 8 && (a.size & (a.size - 1)) == 0)
    a.address &= ~uptr{a.size - 1};
  a.thread = runtime.slots.owner_at(e);
  a.origin = c.origin;
  a.clock = e.clock;
  if (a.size == 0) a.size = piece.size;
  return a;
}

void report_race(Thread& t, const Conflict& older, ByteRange piece, ByteRange bytes,
                 AccessKind kind, Pc pc) {
  report::Race race;
  race.current = {kind, bytes.begin, bytes.size, t.id,
                  t.origins.get(runtime.depot, place(t, pc, kind, bytes.size)), t.clock};
  race.previous = older_access(older, piece);
  race.overlap = piece;
  report::race_found(race);
}

template <unsigned G, bool kWrites>
void aligned_access(Thread& t, uptr a, Pc pc) {
  constexpr AccessKind kKind = kWrites ? AccessKind::kWrite : AccessKind::kRead;
  Accessor who = accessor(t, pc, kKind, G);
  Outcome out = kWrites ? detect_write<G>(who, a) : detect_read<G>(who, a);
  if (out.recorded) note_recorded(t);
  if (BF_UNLIKELY(out.races != 0 || out.sync_here)) report_outcome(t, out, {a, G}, kKind, pc);
}

}  // namespace

void report_outcome(Thread& t, const Outcome& out, ByteRange bytes, AccessKind kind, Pc pc) {
  if (out.races != 0) report_race(t, out.race.older, out.race.piece, bytes, kind, pc);
  if (out.sync_here) check_atomics(t, bytes, kind, pc);
}

void check_atomics(Thread& t, ByteRange bytes, AccessKind kind, Pc pc) {
  Observer me = observer(t);
  for (uptr word = bytes.begin & ~uptr{7}; word < bytes.end(); word += 8) {
    Conflict found;
    ByteRange where;
    {
      SyncTable::Bucket& bucket = runtime.syncs.bucket(word);
      SpinGuard guard(bucket.lock);
      bucket.for_each_in_word(word, [&](SyncVar& v) {
        if (found || v.address >= bytes.end() || v.bytes().end() <= bytes.begin) return;
        for (const AtomicEntry& e : v.atomics) {
          if (!e.writes && !is_write(kind)) continue;
          if (happened_before(e.stamp, me)) continue;
          found = {e.stamp, e.origin};
          where = v.bytes();
          return;
        }
      });
    }
    if (found) return report_race(t, found, where, bytes, kind, pc);
  }
}

template <unsigned G, bool kWrites>
void slow_access(uptr a, Pc pc) {
  if (__bf_thread.stamp == abi::kStampSingle) {
    // Alone: nothing to check or record, but give the region its shadow so that the inlined test
    // passes from now on.
    if (shadow::covers(a)) shadow::cell<G>(a);
    return;
  }
  RuntimeScope scope;
  Thread& t = current_thread();
  if (t.ignore_accesses != 0 || !shadow::covers(a)) return;
  if (runtime.single) return;
  if (BF_LIKELY((a & (G - 1)) == 0)) aligned_access<G, kWrites>(t, a, pc);
  else access_range(t, {a, G}, kWrites ? AccessKind::kWrite : AccessKind::kRead, pc);
}

template void slow_access<1, false>(uptr, Pc);
template void slow_access<2, false>(uptr, Pc);
template void slow_access<4, false>(uptr, Pc);
template void slow_access<8, false>(uptr, Pc);
template void slow_access<1, true>(uptr, Pc);
template void slow_access<2, true>(uptr, Pc);
template void slow_access<4, true>(uptr, Pc);
template void slow_access<8, true>(uptr, Pc);

void access_range(Thread& t, ByteRange bytes, AccessKind kind, Pc pc) {
  if (bytes.size == 0 || runtime.single || t.ignore_accesses != 0) return;
  if (!shadow::covers(bytes.begin) || !shadow::covers(bytes.end() - 1)) return;
  RuntimeScope scope;
  Accessor who = accessor(t, pc, kind, bytes.size);
  Outcome out = is_write(kind) ? detect_write_range(who, bytes) : detect_read_range(who, bytes);
  if (out.recorded) note_recorded(t);
  if (BF_UNLIKELY(out.races != 0 || out.sync_here)) report_outcome(t, out, bytes, kind, pc);
}

}  // namespace bigfoot::rt
