#include "runtime/context/commits.h"

#include "runtime/context/arrays.h"
#include "runtime/context/claimed_run.h"
#include "runtime/context/claims.h"
#include "runtime/context/known_to_all.h"
#include "runtime/context/on_race.h"
#include "runtime/context/reclaim.h"
#include "runtime/context/runtime.h"

namespace bigfoot::rt {
namespace {

// The access of a footprint that has the byte.
PendingAccess access_at(Thread& t, const PlaceFootprint& p, uptr a) {
  return {t, p.f.access_at(a, p.size), p.kind, 0, p.origin};
}

void collect(Races& races, const Thread& t, const PlaceFootprint& p, uptr base,
             const RacyPart& part, uptr older_run) {
  const LocksetId locks = locks_at(p.origin, t.stamp);
  FootprintRaces found{{p.kind, 0, p.size, t.id, p.origin, t.clock, locks},
                       p.f.shifted_down(base),
                       base,
                       part,
                       past_access(part.older),
                       older_run};
  show_vptr_write(found.current);
  races.push(found);
}

// Whether the planes say that this epoch has done such an access to the piece already.
template <unsigned G>
bool done_in_planes(const Thread& t, uptr a, bool writes) {
  const Cell* cell = (a & (G - 1)) == 0 ? shadow::cell_if_present<G>(a) : nullptr;
  if (cell == nullptr) return false;
  const u32 mine = raw(t.stamp);
  return load_acquire(&cell->write) == mine || (!writes && load_acquire(&cell->read) == mine);
}
bool done_in_planes(const Thread& t, ByteRange piece, bool writes) {
  if (piece.size == 8) return done_in_planes<8>(t, piece.begin, writes);
  if (piece.size == 4) return done_in_planes<4>(t, piece.begin, writes);
  return false;
}

// Bytes of a footprint that are in the planes: one of its accesses, or several that are side by
// side in a word.
void commit_piece(Thread& t, const PlaceFootprint& p, ByteRange piece, usize size, Races& races) {
  struct Sink {
    const PendingAccess& access;
    const PlaceFootprint& p;
    Races& races;
    static void found(void* self, const FoundRace& race) {
      auto& sink = *static_cast<Sink*>(self);
      // An atomic may have begun before this access and end after it.
      const ByteRange &mine = sink.access.bytes, &theirs = race.piece;
      const uptr begin = mine.begin > theirs.begin ? mine.begin : theirs.begin;
      const uptr end = mine.end() < theirs.end() ? mine.end() : theirs.end();
      collect(sink.races, sink.access.thread, sink.p, 0, {race.older, {begin, end}}, 0);
    }
  };
  if (done_in_planes(t, piece, is_write(p.kind))) return;
  const bool one = piece.size <= size;
  PendingAccess access =
      one ? access_at(t, p, piece.begin) : PendingAccess{t, piece, p.kind, 0, p.origin};
  Sink sink{access, p, races};
  with_right(t, piece, [&] {
    Accessor who = accessor(access);
    who.sink = {&sink, Sink::found};
    const Outcome out =
        is_write(p.kind) ? detect_write_range(who, piece) : detect_read_range(who, piece);
    if (out.recorded) note_recorded(t);
    if (BF_LIKELY(!out.sync_here)) return;
    // Each access by itself: the first atomic of a word that races is all that is told of it.
    for (uptr a = piece.begin; a < piece.end(); a += size) {
      PendingAccess part = access_at(t, p, a);
      Sink its_sink{part, p, races};
      check_atomics(part, {a, piece.end() - a < size ? piece.end() - a : size},
                    {&its_sink, Sink::found});
    }
  });
}

// Bytes with any distance between them: many at once, as far as none of them races. Where it is not
// so, those of a word.
void commit_bytes(Thread& t, const PlaceFootprint& p, const Footprint& rest, Races& races) {
  constexpr usize kAtOnce = 4096;
  const usize step = rest.step == 0 ? 1 : rest.step;
  for (uptr a = rest.begin; a < rest.end();) {
    const uptr end = rest.end() - a > kAtOnce ? a + kAtOnce : rest.end();
    const Footprint some = step == 1 ? Footprint::one(a, end - a) : Footprint::run(a, end, step, 1);
    uptr stop = claimed_past(t, some, 1, p.kind, p.origin);
    if (stop != some.end()) {
      const uptr first = stop, word_end = (first | 7) + 1;
      stop = step > 1 ? first + 1 : word_end < end ? word_end : end;
      commit_piece(t, p, {first, stop - first}, 1, races);
    }
    a = stop - 1 + step;
  }
}

void commit_to_planes(Thread& t, const PlaceFootprint& p, const Footprint& rest, Races& races) {
  const usize size = p.size < rest.width ? p.size : rest.width;
  // (Shorts and ints are to have cells in the planes of their sizes, where inlined tests look.)
  // Where races stop, an access is recorded or not by itself.
  if (size == 1 && !races_stop()) {
    if (rest.width == 1) return commit_bytes(t, p, rest, races);
    if (rest.contiguous())
      return commit_bytes(t, p, Footprint::run(rest.begin, rest.end(), 1, 1), races);
  }
  for (usize i = 0; i < rest.count(); ++i)
    for (usize k = 0; k < rest.width; k += size)
      commit_piece(t, p,
                   {rest.begin + i * rest.step + k, rest.width - k < size ? rest.width - k : size},
                   size, races);
}

// Whether the cell has the record of that access.
bool tells_of(const Cell& c, const Conflict& access) {
  if (c.write == raw(access.stamp) && c.writer() == access.origin) return true;
  if (!c.read_by_many()) return c.read == raw(access.stamp) && c.reader() == access.origin;
  for (const ReadEntry e : runtime.sets.get(read_set_of(c.read)))
    if (e.stamp == access.stamp && e.origin == access.origin) return true;
  return false;
}

// The races of a commit. An older access that was longer than its origin can tell began where its
// record does: in the parts that have just told of it, side by side, or before them.
void collect(Races& races, const Thread& t, const PlaceFootprint& p, const ArrayShadow& shadow,
             const Commit& c) {
  const uptr base = shadow.array().begin;
  uptr run = 0;
  const RacyPart* before = nullptr;
  for (const RacyPart& part : c.races()) {
    const bool goes_on = before != nullptr && before->bytes.end == part.bytes.begin &&
                         before->older.stamp == part.older.stamp &&
                         before->older.origin == part.older.origin;
    const bool known = part.bytes.period == 0 && shadow.keeps_runs();
    if (known && !goes_on)
      run = base + shadow.run_begin(part.bytes.begin,
                                    [&](const Cell& cell) { return tells_of(cell, part.older); });
    collect(races, t, p, base, part, known ? run : 0);
    before = known ? &part : nullptr;
  }
}

// `rest` is what belongs into the planes. REQUIRES: the array's lock is held.
void commit_to_shadow(Thread& t, const PlaceFootprint& p, Races& races, Footprint& rest) {
  ArrayRecord& array = *p.array;
  rest = {};
  // The array is gone, and with it everything that could be compared; see array_begins().
  if (array.generation != p.generation) return;
  PendingAccess first = access_at(t, p, p.f.begin);
  Accessor who = accessor(first);
  const uptr base = array.shadow.array().begin;
  Commit c(who, p.f.shifted_down(base), is_write(p.kind), p.calls, p.size);
  array.shadow.commit(c, rest);
  if (c.recorded()) note_recorded(t);
  collect(races, t, p, array.shadow, c);
  if (!rest.empty()) rest = {rest.begin + base, rest.last + base, rest.step, rest.width};
}

// Footprints of one array that follow each other, at most so many under one hold of its lock: what
// threads that come from a barrier do to the same array is then not interleaved one by one. Returns
// the number of the first that is left.
u32 commit_run(Thread& t, const Footprints& mine, u32 i, Races& races, Crowded& crowded) {
  constexpr u32 kAtOnce = 64;
  ArrayRecord& array = *mine[i].array;
  const u32 stop = mine.count() - i < kAtOnce ? mine.count() : i + kAtOnce;
  Footprint rest;
  bool fine;
  u32 generation;
  {
    SpinGuard guard(array.lock);
    const bool was_fine = array.shadow.fine();
    generation = array.generation;
    while (i < stop && mine[i].array == &array && rest.empty())
      commit_to_shadow(t, mine[i++], races, rest);
    if (BF_UNLIKELY(array.shadow.crowded())) crowded = {&array, generation};
    fine = !was_fine && array.shadow.fine();
  }
  if (BF_UNLIKELY(fine)) runtime.arrays.gone_fine(array, generation);
  if (!rest.empty()) commit_to_planes(t, mine[i - 1], rest, races);
  return i;
}

}  // namespace

void commit_one(Thread& t, const PlaceFootprint& p, Races& races) {
  Footprint rest;
  {
    SpinGuard guard(p.array->lock);
    commit_to_shadow(t, p, races, rest);
  }
  if (!rest.empty()) commit_to_planes(t, p, rest, races);
}

void commit_into(Thread& t, Races& races, Crowded& crowded) {
  Footprints& mine = *t.footprints;
  mine.close();
  for (u32 i = 0; i < mine.count();) {
    const u32 first = i;
    i = commit_run(t, mine, i, races, crowded);
    for (u32 k = first; k < i; ++k) fetch_add(&mine[k].array->pending, ~u32{0});
  }
  mine.clear();
}

namespace {
void commit_stopped(void* races, Thread& t) {
  if (t.footprints == nullptr || t.footprints->committing) return;
  Crowded later;  // it is seen again by the next commit
  commit_into(t, *static_cast<Races*>(races), later);
}
}  // namespace

void commit_others() {
  Races races;
  visit_stopped_threads(commit_stopped, &races);
  deliver(races);
}

bool commit_all_then(Thread& t, void (*work)(void*), void* context) {
  commit_footprints(t);
  if (runtime.single) {
    work(context);
    return true;
  }
  Races races;
  {
    const OthersStopped others;
    if (!others) return false;
    others.for_each(commit_stopped, &races);
    work(context);
  }
  deliver(races);
  return true;
}

void deliver(Races& races) {
  for (const FootprintRaces& r : races)
    r.part.for_each_access(r.f, r.current.size, [&](ByteRange access, ByteRange common) {
      common.begin += r.base;
      report::Race race{r.current, older_access(r.older, common), common};
      if (report::Access& older = race.previous; !older.exact && r.older_run != 0) {
        older.address = r.older_run + (common.begin - r.older_run) / older.size * older.size;
        older.exact = true;
      }
      race.current.address = r.base + access.begin;
      race.current.size = access.size;
      race_happened(race, Telling::kListenerAndReport);
    });
  races.release_storage();
}

// Parts whose history everybody knows become blank, and equal.
void forget_known(const Thread& t, const Crowded& crowded) {
  CommonPast past;
  const bool looked = look_at_all_clocks(t, past);
  ArrayRecord& array = *crowded.array;
  {
    SpinGuard guard(array.lock);
    if (array.generation == crowded.generation && array.shadow.crowded())
      array.shadow.forget(
          [&](const Cell& c) { return looked && past.contains(c, runtime.stamps, runtime.sets); });
  }
  past.release_storage();
}

}  // namespace bigfoot::rt
