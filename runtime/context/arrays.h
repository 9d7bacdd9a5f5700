// Arrays with shadows of their own: from the program's accesses to footprints, and from there, when
// the thread synchronises, to the shadows (array/array_shadow.h) and to reports.
//
// Every way into the planes asks here first whether the memory is an array whose history is kept
// elsewhere. All of it is off, at the cost of one test, unless the program was compiled for a
// detector that compresses arrays.
#pragma once

#include "abi/arrays.h"
#include "runtime/context/events.h"
#include "runtime/context/footprints.h"
#include "runtime/context/runtime.h"
#include "runtime/heap/slab.h"
#include "runtime/shadow/claims.h"

namespace bigfoot::rt {

// The program was compiled for a detector that can do it. Takes effect only while the program runs
// alone: afterwards there is history in the planes.
void use_arrays(abi::UseArrays when);
// From here on accesses are checked at once.
void stop_using_arrays();

// An access that the inlined test did not settle, or accesses of `size` bytes side by side. True if
// it is in a footprint now. Of several only if all are in one array.
BF_SPARE bool array_access(ByteRange bytes, AccessKind kind, Pc pc, PlaceKey place, usize size);
[[gnu::always_inline]] inline bool array_access(ByteRange bytes, AccessKind kind, Pc pc,
                                                const PlaceKey& place) {
  return array_access(bytes, kind, pc, place, bytes.size);
}

// Ranges of any size: calls `planes(part)` for what belongs into the planes.
template <class Planes>
void array_range(Thread& t, ByteRange bytes, AccessKind kind, Pc pc, Planes&& planes);
// Elements as in events.h. False: they are in no array, or its history is in the planes.
bool array_elements(Thread& t, const ElementRange& r, Pc pc);

// Whether sweeps of the calling thread may go on by their cursors alone. They may not while its
// accesses are ignored or it is another thread (a fiber); that they do not for any other reason
// costs time and nothing else.
inline void show_cursors(Thread& t) {
  BF_DCHECK(&t == thread_or_null() && t.ignore_accesses == 0);
  __bf_thread.cursors = t.footprints->cursors();
}
inline void hide_cursors() {
  __bf_thread.cursors = no_cursors;
}

// Before the thread learns or publishes anything, and before it ends. REQUIRES: no lock of the run
// time is held.
void commit_now(Thread& t);
inline void commit_footprints(Thread& t) {
  if (BF_UNLIKELY(t.footprints != nullptr && t.footprints->count() != 0)) commit_now(t);
}
// The same where the calling thread is not known yet, unless it is in the run time already.
BF_SPARE void commit_left_behind();
// At the end of the process: those of threads that are still running, too.
void commit_all_footprints();

// In the child of fork, where the other threads are gone.
void arrays_forked_child();

// A synchronisation object comes to live there: its words must be in the planes.
void array_gets_object(uptr address);
// A block begins: what was an array in its place is gone. The planes are the caller's business,
// also if that array had nothing there: blocks that were none may have been there since. A block
// ends, told before the end itself is recorded.
void array_begins(Thread& t, ByteRange block);
void array_ends(Thread& t, ByteRange block);

// Memory outside of the heap, which starts and ends with a word, becomes one array, or is none any
// more; what happened there has ended or ends (the planes are the caller's business). REQUIRES, for
// the former: nobody accesses it meanwhile, and the planes hold nothing of it.
void array_memory_begins(Thread& t, ByteRange memory, Pc pc);
void array_memory_ends(Thread& t, ByteRange memory);
// The same for memory that may be the heap's: that stays an array, without history.
void no_array_any_more(Thread& t, ByteRange memory);
// Globals that are arrays, wherever they begin and end; those that are in use already are left
// alone.
void add_global_arrays(const abi::GlobalArray* arrays, usize count);

// The history of the range ends (the planes are the caller's business), or is moved to the planes
// for those who work there.
void clear_arrays(Thread& t, ByteRange range);
// The history of a range in one array is copied or moved to a range in one array, in the form in
// which it is kept. False: nothing was done, at least one of them has its history in the planes.
enum class Transferred : u8 { kCopied, kMoved };
bool transfer_arrays(Thread& t, uptr from, uptr to, usize bytes, Transferred how);
void arrays_into_planes(Thread& t, ByteRange range);

void free_footprints(Thread& t);
struct FootprintCounts {
  u64 commits = 0;
  u64 merged = 0;
};
FootprintCounts footprint_counts();

// --- implementation
// Cells in the planes that are not blank tell that their memory is in no array, or in one whose
// history has moved there (and that of a piece does so before the array says so). For a range
// of a few bytes, the cells at its two ends.
template <unsigned G>
[[gnu::always_inline]] inline bool surely_in_planes(uptr a) {
  const Cell* cell = shadow::cell_if_present<G>(a);
  return cell != nullptr && (load_relaxed(&cell->write) | load_relaxed(&cell->read)) != 0;
}
[[gnu::always_inline]] inline bool surely_in_planes(ByteRange r) {
  return surely_in_planes<8>(r.begin) && surely_in_planes<8>(r.end() - 1);
}
inline constexpr usize kFewBytes = 64;

// The part of [a, end) that is in one place, and the array if it is one with a shadow in use.
// `checked` bytes of it are checked at once; see ArrayRegistry::get.
struct ArrayPart {
  ArrayRecord* array;
  uptr end;
};
ArrayPart array_part_at(uptr a, uptr end, usize checked);
// Blocks that the calling thread's epoch has claimed are in the planes as a whole.
inline bool claimed_by_caller(uptr a) {
  const u32* claim = shadow::claim_word_if_present(a);
  return claim != nullptr && __bf_thread.stamp != abi::kStampSingle &&
         load_relaxed(claim) == __bf_thread.stamp;
}
inline ArrayPart array_part(uptr a, uptr end, usize checked) {
  if (end - a <= kFewBytes && surely_in_planes(ByteRange{a, end - a})) return {nullptr, end};
  if (end - a <= kFewBytes && claimed_by_caller(a) && claimed_by_caller(end - 1))
    return {nullptr, end};
  // Both ends in plain memory, and too near to each other for an array between them.
  const bool near = end - a <= heap::kMinNumberedBytes;
  if (near && !runtime.arrays.may_hold(a) && !runtime.arrays.may_hold(end - 1))
    return {nullptr, end};
  return array_part_at(a, end, checked);
}
inline ArrayPart array_part(uptr a, uptr end) {
  return array_part(a, end, end - a);
}
void add_footprint(Thread& t, ArrayRecord& array, const Footprint& f, u64 size, AccessKind kind,
                   Pc pc, const PlaceKey& place);
inline void add_footprint(Thread& t, ArrayRecord& array, const Footprint& f, u64 size,
                          AccessKind kind, Pc pc) {
  add_footprint(t, array, f, size, kind, pc,
                PlaceKey::of_call(pc, __bf_thread.frame->path, kind, f.width));
}

template <class Planes>
inline void array_range(Thread& t, ByteRange bytes, AccessKind kind, Pc pc, Planes&& planes) {
  for (uptr a = bytes.begin; a < bytes.end();) {
    const ArrayPart part = array_part(a, bytes.end());
    if (part.array != nullptr)
      add_footprint(t, *part.array, Footprint::one(a, part.end - a), bytes.size, kind, pc);
    else
      planes(ByteRange{a, part.end - a});
    a = part.end;
  }
}

}  // namespace bigfoot::rt
