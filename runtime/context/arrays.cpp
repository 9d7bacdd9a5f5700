#include "runtime/context/arrays.h"

#include "runtime/base/string.h"
#include "runtime/context/claims.h"
#include "runtime/context/commits.h"
#include "runtime/context/on_race.h"
#include "runtime/context/slow_path.h"
#include "runtime/options/options.h"

namespace bigfoot::rt {
namespace {

// A block of claims is in an array of the heap as a whole, or not at all.
static_assert(heap::kLine % shadow::kClaimBytes == 0);

// Of threads that have ended.
struct Totals {
  SpinLock lock;
  FootprintCounts ended;
};
constinit Totals totals;

Footprints& footprints_of(Thread& t) {
  if (BF_UNLIKELY(t.footprints == nullptr)) {
    t.footprints = static_cast<Footprints*>(pool_allocate(sizeof(Footprints)));
    zero_bytes(t.footprints, sizeof(Footprints));
  }
  return *t.footprints;
}

BF_SPARE bool new_array_access(Thread& t, ByteRange bytes, AccessKind kind, Pc pc,
                               const PlaceKey& place, usize size) {
  if (!shadow::covers(bytes.begin) || !shadow::covers(bytes.end())) return false;
  const ArrayPart part = array_part(bytes.begin, bytes.end());
  if (part.array == nullptr && part.end == bytes.end()) return false;
  if (part.end == bytes.end())
    add_footprint(t, *part.array, Footprint::one(bytes.begin, bytes.size), size, kind, pc, place);
  else if (size != bytes.size)
    return false;
  else
    access_range(t, bytes, kind, pc);
  return true;
}

// True if the elements are in a footprint that was there.
bool extend_footprint(Thread& t, const Footprint& f, AccessKind kind, const PlaceKey& place) {
  Footprints* mine = t.footprints;
  if (mine == nullptr) return false;
  const Footprints::Extended e = mine->extend(place, kind, f);
  if (e == Footprints::Extended::kNo) return false;
  show_cursors(t);
  if (BF_UNLIKELY(e == Footprints::Extended::kRepetitive)) commit_now(t);
  return true;
}

BF_SPARE void wait_for_pause() {
  RuntimeScope scope;
}

}  // namespace

void use_arrays(abi::UseArrays when) {
  const char* forms = options().array_shadow;
  if (runtime.arrays_on || !runtime.single || races_stop() || equal(forms, "off")) return;
  const bool chooses = equal(forms, "auto");
  if (chooses && when == abi::kUseIfAsked) return;
  runtime.arrays.initialise(equal(forms, "table") ? ArrayForms::kTable : ArrayForms::kSegments,
                            chooses ? &runtime.depot : nullptr,
                            chooses && when == abi::kUseForLargeChecks);
  runtime.arrays_on = true;
  shadow::forget_claims();  // of threads that are gone: their blocks may be arrays from now on
  // There the planes have the first part of an array, and a block may be in both.
  if (equal(forms, "table")) stop_claiming();
}

void stop_using_arrays() {
  if (!runtime.arrays_on) return;
  commit_all_footprints();
  runtime.arrays.close();
}

bool array_access(ByteRange bytes, AccessKind kind, Pc pc, PlaceKey place, usize size) {
  Thread* t = thread_or_null();
  if (BF_UNLIKELY(t == nullptr || __bf_thread.stamp == abi::kStampSingle)) return false;
  if (BF_UNLIKELY(t->ignore_accesses != 0)) return false;
  while (BF_UNLIKELY(!detail::enter_quickly())) {
    detail::leave_quickly();
    wait_for_pause();
  }
  const bool done = extend_footprint(*t, Footprint::one(bytes.begin, bytes.size), kind, place) ||
                    new_array_access(*t, bytes, kind, pc, place, size);
  detail::leave_quickly();
  return done;
}

namespace {
// How far the memory is no array. REQUIRES: at `a` is none.
uptr end_of_plain(uptr a, uptr end) {
  auto until = [&](uptr stop) { return stop < end ? stop : end; };
  if (!heap::stretch.contains(a)) {
    const ByteRange next = runtime.arrays.first_added_in({a, end - a}).bytes;
    if (next.size == 0) return end;
    return next.begin > a ? next.begin
                          : until(next.end());  // the latter: arrays are not used any more
  }
  if (!heap::slab_holds_numbered(a)) return until((a | (heap::kSlabBytes - 1)) + 1);
  // The rest of a word at least, and never beyond the slab.
  const bool near = (a & (heap::kSlabBytes - 1)) + (end - a) <= heap::kSlabBytes;
  const bool small = heap::numbered_block(end - 1).bytes.size == 0;
  return near && small ? end : until((a | 7) + 1);
}
}  // namespace

ArrayPart array_part_at(uptr a, uptr end, usize checked) {
  auto until = [&](uptr stop) { return stop < end ? stop : end; };
  ArrayRecord* r = runtime.arrays.get(a, checked);
  if (r == nullptr) return {nullptr, end_of_plain(a, end)};
  const ByteRange array = r->shadow.array();
  const uptr planes_end = array.begin + r->shadow.fine_until();
  if (a < planes_end) return {nullptr, until(planes_end < array.end() ? planes_end : array.end())};
  return {r, until(array.end())};
}

void add_footprint(Thread& t, ArrayRecord& array, const Footprint& f, u64 size, AccessKind kind,
                   Pc pc, const PlaceKey& place) {
  if (kind != AccessKind::kFree && extend_footprint(t, f, kind, place)) return;
  Footprints& mine = footprints_of(t);
  const Origin origin =
      t.origins.get(runtime.depot, rt::place(t, pc, kind, ByteRange{f.begin, size}));
  const ByteRange whole = array.shadow.array();
  const usize from = array.shadow.fine_until();
  PlaceFootprint p{f,      {whole.begin + from, whole.size - from},
                   &array, array.generation,
                   origin, kind,
                   size,   phase_of({f.begin, size})};
  if (mine.due() && !mine.committing) commit_now(t);
  // The end of a block is recorded at once. So is what a report's hook does if there is no room.
  if (kind == AccessKind::kFree || mine.full()) {
    Races races;
    commit_one(t, p, races);
    return deliver(races);
  }
  fetch_add(&array.pending, u32{1});
  mine.begin(place, p);
  show_cursors(t);
}

bool array_elements(Thread& t, const ElementRange& r, Pc pc) {
  const uptr end = r.begin + r.extent;
  const bool contiguous = r.step == r.width;
  Footprint f =
      Footprint::run(r.begin, end, contiguous ? r.size : r.step, contiguous ? r.size : r.width);
  if (contiguous && f.end() > end) f = Footprint::one(r.begin, r.extent);
  const ArrayPart part = array_part(f.begin, f.end(), f.count() * f.width);
  if (part.end == f.end()) {
    if (part.array != nullptr) add_footprint(t, *part.array, f, r.size, r.kind, pc);
    return part.array != nullptr;
  }
  for (usize i = 0; i < f.count(); ++i)
    access_range(t, {f.begin + i * f.step, f.width}, r.kind, pc);
  return true;
}

void commit_now(Thread& t) {
  Footprints& mine = *t.footprints;
  if (mine.committing || mine.count() == 0) return;
  RuntimeScope scope;
  hide_cursors();
  mine.committing = true;
  Races races;
  Crowded crowded;
  commit_into(t, races, crowded);
  mine.committing = false;
  deliver(races);
  if (BF_UNLIKELY(crowded.array != nullptr)) forget_known(t, crowded);
}

void commit_left_behind() {
  Thread* t = thread_or_null();
  if (t != nullptr && __bf_thread.inside == 0) commit_footprints(*t);
}

void commit_all_footprints() {
  if (!runtime.arrays_on) return;
  if (Thread* t = thread_or_null()) commit_footprints(*t);
  if (!runtime.single) commit_others();
}

void arrays_forked_child() {
  totals.lock.reset_after_fork();
  if (runtime.arrays_on) runtime.arrays.forked_child();
}

void array_gets_object(uptr address) {
  ArrayRecord* r = runtime.arrays.get(address, 0);
  if (r == nullptr) return;
  u32 generation;
  {
    SpinGuard guard(r->lock);
    if (!r->shadow.array().contains(address) || r->shadow.fine()) return;
    r->shadow.make_fine();
    generation = r->generation;
  }
  runtime.arrays.gone_fine(*r, generation);
}

void array_begins(Thread& t, ByteRange block) {
  if (block.size < heap::kMinNumberedBytes) return;
  array_ends(t, block);
  runtime.arrays.end(block.begin);
}

namespace {
// Everything that is known of the array that contains the address, if there is one, is recorded, in
// its shadow or in the planes.
void commit_array_at(Thread& t, uptr a) {
  const ArrayRecord* r = runtime.arrays.find(a);
  if (r == nullptr || load_relaxed(&r->pending) == 0) return;
  commit_footprints(t);
  if (load_relaxed(&r->pending) != 0) commit_others();
}
}  // namespace

void array_ends(Thread& t, ByteRange block) {
  if (block.size >= heap::kMinNumberedBytes) commit_array_at(t, block.begin);
}

namespace {
// Calls f(record, first offset, end offset) for the arrays in the range whose history is kept in
// shadows, with everything committed that is known of these and of those in the planes.
template <class F>
void for_each_array_in(Thread& t, ByteRange range, F&& f) {
  for (uptr a = range.begin; a < range.end();) {
    commit_array_at(t, a);
    const ArrayPart part = array_part_at(a, range.end(), range.size);
    if (part.array != nullptr) {
      SpinGuard guard(part.array->lock);
      const uptr begin = part.array->shadow.array().begin;
      f(part.array->shadow, a - begin, part.end - begin);
    }
    a = part.end;
  }
}
}  // namespace

void clear_arrays(Thread& t, ByteRange range) {
  for_each_array_in(t, range, [](ArrayShadow& s, usize begin, usize end) { s.clear(begin, end); });
}

namespace {
// The array in whose shadow all of the range is, with everything committed that is known of it.
ArrayRecord* only_array(Thread& t, ByteRange range) {
  const ArrayPart part = array_part(range.begin, range.end());
  if (part.array == nullptr || part.end != range.end()) return nullptr;
  commit_array_at(t, range.begin);
  return part.array->shadow.fine_until() == 0 ? part.array : nullptr;
}

bool is_all(const ArrayShadow& array, uptr begin, usize bytes) {
  return array.array().begin == begin && array.array().size == bytes;
}
// One whole array becomes another: in order of their addresses, so that nobody waits for ever.
bool transfer_whole(ArrayRecord& source, ArrayRecord& target, Transferred how) {
  const bool source_first = &source < &target;
  SpinGuard first(source_first ? source.lock : target.lock);
  SpinGuard second(source_first ? target.lock : source.lock);
  return how == Transferred::kMoved ? source.shadow.move_all_to(target.shadow)
                                    : source.shadow.copy_all_to(target.shadow);
}
}  // namespace

bool transfer_arrays(Thread& t, uptr from, uptr to, usize bytes, Transferred how) {
  if (bytes == 0) return false;
  ArrayRecord* source = only_array(t, {from, bytes});
  ArrayRecord* target = source == nullptr ? nullptr : only_array(t, {to, bytes});
  if (target == nullptr) return false;
  if (source != target && is_all(source->shadow, from, bytes) &&
      is_all(target->shadow, to, bytes) && transfer_whole(*source, *target, how))
    return true;
  const usize begin = from - source->shadow.array().begin;
  const usize at = to - target->shadow.array().begin;
  Segments part{};
  {
    SpinGuard guard(source->lock);
    if (!source->shadow.copy(begin, begin + bytes, at, part)) return false;
    if (how == Transferred::kMoved) source->shadow.clear(begin, begin + bytes);
  }
  SpinGuard guard(target->lock);
  target->shadow.replace(part);
  return true;
}

void arrays_into_planes(Thread& t, ByteRange range) {
  for_each_array_in(t, range, [](ArrayShadow& s, usize, usize) { s.make_fine(); });
}

void free_footprints(Thread& t) {
  if (t.footprints == nullptr) return;
  {
    SpinGuard guard(totals.lock);
    totals.ended.merged += t.footprints->merged();
    totals.ended.commits += t.footprints->committed();
  }
  pool_free(t.footprints, sizeof(Footprints));
  t.footprints = nullptr;
}

FootprintCounts footprint_counts() {
  SpinGuard guard(totals.lock);
  FootprintCounts all = totals.ended;
  if (const Thread* t = thread_or_null(); t != nullptr && t->footprints != nullptr) {
    all.merged += t->footprints->merged();
    all.commits += t->footprints->committed();
  }
  return all;
}

}  // namespace bigfoot::rt
