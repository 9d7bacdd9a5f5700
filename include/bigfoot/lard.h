/* LARD: what a run-time system tells the race detector about the program above it.
 *
 * A detector that watches memory and threads is wrong about a program whose objects are reused and
 * moved, whose threads are multiplexed, and whose services access and lock what the program never
 * mentions ("Low-Level Detection of Language-Level Data Races with LARD", Wood, Ceze and Grossman).
 * Five kinds of operations are enough to set it right: an allocator, a collector, a fiber library or a
 * virtual machine calls them, and the reports are about its program.
 *
 *   operation                    prevents                without it
 *   tracked, untracked access    false races             the system's own accesses race
 *   tracked, untracked sync      missed races            the system's own locks order the program
 *   clear history                false races             a new object races with an old one
 *   copy, move history           missed races            an object leaves its accesses behind
 *   logical threads              false, missed races     fibers are taken for the thread they run on
 *
 * How to use it: include this header, link nothing. In a program built by bigfoot-clang the calls reach
 * the detector; anywhere else they do nothing, at the cost of testing a weak symbol. A library that is
 * annotated once works in both.
 *
 * Results: BF_LARD_OK or a negative value. Bad use changes nothing and is said in one line on stderr,
 * with the place of the call: an end without its begin, a thread that does not exist, a range that
 * wraps around the address space. The same mistake at the same place is said once. What can only be
 * seen later is said with the place where it began: a region that is open when its thread ends, an OS
 * thread that ends as another logical thread than its own.
 *
 * Threads: all functions may be called by any thread at any time, except that nobody may access a range
 * while its history is cleared, copied or moved; the caller sees to that, as it does for the data. Not
 * from signal handlers.
 *
 * Version: BF_LARD_VERSION rises when functions are added. None changes its meaning or goes away.
 *   1  as below
 */
#ifndef BIGFOOT_LARD_H
#define BIGFOOT_LARD_H

#include <stddef.h>
#include <stdint.h>

#define BF_LARD_VERSION 1

#ifdef __cplusplus
extern "C" {
#endif

enum {
  BF_LARD_OK = 0,
  BF_LARD_RACE = 1,    /* of an access: it races with an earlier one */
  BF_LARD_ABSENT = -1, /* no detector, or one that does not know the function */
  BF_LARD_MISUSE = -2  /* said on stderr; nothing has changed */
};

/* What a region is about. */
enum { BF_LARD_ACCESSES = 1, BF_LARD_SYNC = 2, BF_LARD_ALL = 3 };

typedef struct bf_lard_range {
  const void* begin;
  size_t bytes;
} bf_lard_range;

typedef struct bf_lard_transfer {
  const void* from;
  const void* to;
  size_t bytes;
} bf_lard_transfer;

/* A logical thread; never 0, never used again. */
typedef uint64_t bf_lard_thread;

/* How a logical thread takes the place of another; combined by |. */
enum {
  BF_LARD_UNORDERED = 0, /* who runs here has changed, nothing else */
  BF_LARD_ORDERED = 1,   /* what the old thread has done is before what the new one does */
  BF_LARD_SAME_STACK = 2 /* no stack is switched: an interpreter goes on with another thread */
};

typedef struct bf_lard_access {
  const void* address;
  size_t bytes;
  int writes;
  const void* site; /* the return address into the program, or what ..._at was given */
  bf_lard_thread thread;
} bf_lard_access;

typedef struct bf_lard_race {
  bf_lard_access current;
  bf_lard_access previous;
} bf_lard_race;

/* Who is told of a race. Runs on the thread whose access it is. Races of its own accesses are reported
 * and not told to it; one that wants to look at the memory is compiled without checks
 * (no_sanitize("thread")). */
typedef int (*bf_lard_race_handler)(const bf_lard_race* race, void* context);
/* Its result. */
enum {
  BF_LARD_REPORT = 0, /* print a report, as if there were no handler */
  BF_LARD_QUIET = 1   /* the handler has done all there is to do */
};
enum {
  BF_LARD_TELL = 0, /* the access is part of the history, as always */
  BF_LARD_STOP = 1  /* it is not: the handler may end the thread or leave by longjmp. Bad use, unless
                       all of the program was compiled with --check-first */
};

/* The functions of the detector. Call those without the underscores. */
#define BF_LARD_WEAK __attribute__((weak))
BF_LARD_WEAK unsigned __bf_lard_version(void);
BF_LARD_WEAK int __bf_lard_access(const void* p, size_t bytes, int writes, const void* site);
BF_LARD_WEAK int __bf_lard_try_access(const void* p, size_t bytes, int writes, const void* site);
BF_LARD_WEAK int __bf_lard_region_begin(unsigned what, int tracked);
BF_LARD_WEAK int __bf_lard_region_end(unsigned what, int tracked);
BF_LARD_WEAK int __bf_lard_acquire(const void* object);
BF_LARD_WEAK int __bf_lard_release(const void* object);
BF_LARD_WEAK int __bf_lard_release_store(const void* object);
BF_LARD_WEAK size_t __bf_lard_clock_read(uint64_t* times, size_t capacity);
BF_LARD_WEAK int __bf_lard_clock_write(const uint64_t* times, size_t count);
BF_LARD_WEAK int __bf_lard_clear(const bf_lard_range* ranges, size_t count);
BF_LARD_WEAK int __bf_lard_copy(const bf_lard_transfer* transfers, size_t count);
BF_LARD_WEAK int __bf_lard_move(const bf_lard_transfer* transfers, size_t count);
BF_LARD_WEAK bf_lard_thread __bf_lard_thread_current(void);
BF_LARD_WEAK bf_lard_thread __bf_lard_thread_create(size_t stack_bytes);
BF_LARD_WEAK int __bf_lard_thread_switch(bf_lard_thread thread, unsigned how);
BF_LARD_WEAK int __bf_lard_thread_destroy(bf_lard_thread thread);
BF_LARD_WEAK int __bf_lard_thread_name(bf_lard_thread thread, const char* name);
BF_LARD_WEAK int __bf_lard_on_race(bf_lard_race_handler handler, void* context, int mode);

/* Inlined everywhere, so that the place of the call is the caller's. */
#define BF_LARD_INLINE static inline __attribute__((always_inline, unused))

/* 0 without a detector. */
BF_LARD_INLINE unsigned bf_lard_version(void) {
  return __bf_lard_version ? __bf_lard_version() : 0;
}

/* --- accesses ------------------------------------------------------------------------------------ */

/* An access that the compiler did not see, checked whatever region it is in; BF_LARD_RACE if it races.
 * Call it before the real access. `..._at` names the place by any value that is not null; it comes back
 * as bf_lard_access.site. */
BF_LARD_INLINE int bf_lard_read(const void* p, size_t bytes) {
  return __bf_lard_access ? __bf_lard_access(p, bytes, 0, NULL) : BF_LARD_ABSENT;
}
BF_LARD_INLINE int bf_lard_write(const void* p, size_t bytes) {
  return __bf_lard_access ? __bf_lard_access(p, bytes, 1, NULL) : BF_LARD_ABSENT;
}
BF_LARD_INLINE int bf_lard_read_at(const void* p, size_t bytes, const void* site) {
  return __bf_lard_access ? __bf_lard_access(p, bytes, 0, site) : BF_LARD_ABSENT;
}
BF_LARD_INLINE int bf_lard_write_at(const void* p, size_t bytes, const void* site) {
  return __bf_lard_access ? __bf_lard_access(p, bytes, 1, site) : BF_LARD_ABSENT;
}
/* Data-race exceptions: if the access would race, BF_LARD_RACE, and nobody will know of the access. The
 * handler of bf_lard_on_race is told, nothing is printed; the caller throws instead of accessing.
 * Checking and recording are one step for an access within an aligned word of 8 bytes. */
BF_LARD_INLINE int bf_lard_try_read_at(const void* p, size_t bytes, const void* site) {
  return __bf_lard_try_access ? __bf_lard_try_access(p, bytes, 0, site) : BF_LARD_ABSENT;
}
BF_LARD_INLINE int bf_lard_try_write_at(const void* p, size_t bytes, const void* site) {
  return __bf_lard_try_access ? __bf_lard_try_access(p, bytes, 1, site) : BF_LARD_ABSENT;
}

/* Regions of the calling logical thread, nested as brackets: in an untracked one the accesses
 * (BF_LARD_ACCESSES), the locks and atomics (BF_LARD_SYNC), or both are the system's business. A tracked
 * one inside it is for calls back into the program. A new logical thread begins tracked. */
BF_LARD_INLINE int bf_lard_untracked_begin(unsigned what) {
  return __bf_lard_region_begin ? __bf_lard_region_begin(what, 0) : BF_LARD_ABSENT;
}
BF_LARD_INLINE int bf_lard_untracked_end(unsigned what) {
  return __bf_lard_region_end ? __bf_lard_region_end(what, 0) : BF_LARD_ABSENT;
}
BF_LARD_INLINE int bf_lard_tracked_begin(unsigned what) {
  return __bf_lard_region_begin ? __bf_lard_region_begin(what, 1) : BF_LARD_ABSENT;
}
BF_LARD_INLINE int bf_lard_tracked_end(unsigned what) {
  return __bf_lard_region_end ? __bf_lard_region_end(what, 1) : BF_LARD_ABSENT;
}

/* --- synchronisation ----------------------------------------------------------------------------- */

/* What a thread did before a release is before what follows an acquire of the same object, also inside
 * untracked regions. An object is an address; it follows its memory when that is moved, and ends when
 * that is cleared. Tell a release before the real operation, an acquire after it. */
BF_LARD_INLINE int bf_lard_acquire(const void* object) {
  return __bf_lard_acquire ? __bf_lard_acquire(object) : BF_LARD_ABSENT;
}
BF_LARD_INLINE int bf_lard_release(const void* object) {
  return __bf_lard_release ? __bf_lard_release(object) : BF_LARD_ABSENT;
}
/* Forgets earlier releases: who acquires learns of this one only. */
BF_LARD_INLINE int bf_lard_release_store(const void* object) {
  return __bf_lard_release_store ? __bf_lard_release_store(object) : BF_LARD_ABSENT;
}
/* For systems that keep clocks themselves: the calling thread's vector clock as times[i], one for each
 * place in the clocks. Reading publishes, as a release does. Returns how many there are; if that is more
 * than `capacity`, or `times` is null, nothing was written and nothing is published. 0 without a
 * detector. */
BF_LARD_INLINE size_t bf_lard_clock_read(uint64_t* times, size_t capacity) {
  return __bf_lard_clock_read ? __bf_lard_clock_read(times, capacity) : 0;
}
/* The calling thread learns, as by an acquire, what these times know: its clock becomes the maximum of
 * both. Two clocks of one's own are combined in the same way. Times come from clocks that were read, all of
 * one clock together: with a time goes what its thread knew then. Bad use: a time that its thread has not
 * published yet, by a release, by reading its clock or in any other way. */
BF_LARD_INLINE int bf_lard_clock_write(const uint64_t* times, size_t count) {
  return __bf_lard_clock_write ? __bf_lard_clock_write(times, count) : BF_LARD_ABSENT;
}

/* --- history: of exactly these bytes, whatever their alignment ------------------------------------- */

/* The memory holds nothing any more, or something new: its accesses and synchronisation objects are
 * forgotten. When an object is freed or collected, before its memory is used again. */
BF_LARD_INLINE int bf_lard_clear(const void* begin, size_t bytes) {
  bf_lard_range range = {begin, bytes};
  return __bf_lard_clear ? __bf_lard_clear(&range, 1) : BF_LARD_ABSENT;
}
/* `to` takes over the accesses and synchronisation objects of `from`; move forgets them at `from`. The
 * ranges may overlap, as with memmove. */
BF_LARD_INLINE int bf_lard_copy(const void* to, const void* from, size_t bytes) {
  bf_lard_transfer transfer = {from, to, bytes};
  return __bf_lard_copy ? __bf_lard_copy(&transfer, 1) : BF_LARD_ABSENT;
}
BF_LARD_INLINE int bf_lard_move(const void* to, const void* from, size_t bytes) {
  bf_lard_transfer transfer = {from, to, bytes};
  return __bf_lard_move ? __bf_lard_move(&transfer, 1) : BF_LARD_ABSENT;
}
/* The same for all objects of a collection, in the order given. All or nothing: if one of them is bad,
 * none is done. Sources are disjoint, targets are disjoint, and a target may overlap the source of an
 * object before it (compaction) but not of a later one, whose history it would destroy. */
BF_LARD_INLINE int bf_lard_clear_all(const bf_lard_range* ranges, size_t count) {
  return __bf_lard_clear ? __bf_lard_clear(ranges, count) : BF_LARD_ABSENT;
}
BF_LARD_INLINE int bf_lard_copy_all(const bf_lard_transfer* transfers, size_t count) {
  return __bf_lard_copy ? __bf_lard_copy(transfers, count) : BF_LARD_ABSENT;
}
BF_LARD_INLINE int bf_lard_move_all(const bf_lard_transfer* transfers, size_t count) {
  return __bf_lard_move ? __bf_lard_move(transfers, count) : BF_LARD_ABSENT;
}

/* --- logical threads: an OS thread begins as one of its own and has to be that one again at its end - */

/* 0 without a detector. */
BF_LARD_INLINE bf_lard_thread bf_lard_thread_current(void) {
  return __bf_lard_thread_current ? __bf_lard_thread_current() : 0;
}
/* A thread that does not run yet; what the calling one has done so far is before everything it will do.
 * `stack_bytes`: the size of its stack, for the calls that reports show; 0 if unknown. Returns 0 without
 * a detector, and if there is no room for so large a stack or one more thread. */
BF_LARD_INLINE bf_lard_thread bf_lard_thread_create(size_t stack_bytes) {
  return __bf_lard_thread_create ? __bf_lard_thread_create(stack_bytes) : 0;
}
/* From here on the calling OS thread runs `thread`, which nobody else runs and which is no other OS
 * thread's own. Immediately before the real switch. */
BF_LARD_INLINE int bf_lard_thread_switch(bf_lard_thread thread, unsigned how) {
  return __bf_lard_thread_switch ? __bf_lard_thread_switch(thread, how) : BF_LARD_ABSENT;
}
/* The thread does nothing any more. It must not be running, and its regions must have ended. */
BF_LARD_INLINE int bf_lard_thread_destroy(bf_lard_thread thread) {
  return __bf_lard_thread_destroy ? __bf_lard_thread_destroy(thread) : BF_LARD_ABSENT;
}
BF_LARD_INLINE int bf_lard_thread_name(bf_lard_thread thread, const char* name) {
  return __bf_lard_thread_name ? __bf_lard_thread_name(thread, name) : BF_LARD_ABSENT;
}

/* --- races --------------------------------------------------------------------------------------- */

/* `handler` is told of every racing access from now on; null: nobody is. It runs on the thread whose
 * access it is, so on several at a time. One access to several elements of an array (memcpy, free) that
 * races with several older ones is told with one of them. */
BF_LARD_INLINE int bf_lard_on_race(bf_lard_race_handler handler, void* context, int mode) {
  return __bf_lard_on_race ? __bf_lard_on_race(handler, context, mode) : BF_LARD_ABSENT;
}

#ifdef __cplusplus
}

namespace bigfoot {
namespace lard {

/* An untracked region until the end of the block. */
class Untracked {
 public:
  __attribute__((always_inline)) explicit Untracked(unsigned what = BF_LARD_ALL) : what_(what) {
    bf_lard_untracked_begin(what_);
  }
  __attribute__((always_inline)) ~Untracked() { bf_lard_untracked_end(what_); }
  Untracked(const Untracked&) = delete;
  Untracked& operator=(const Untracked&) = delete;

 private:
  unsigned what_;
};

/* The program again, inside of one. */
class Tracked {
 public:
  __attribute__((always_inline)) explicit Tracked(unsigned what = BF_LARD_ALL) : what_(what) {
    bf_lard_tracked_begin(what_);
  }
  __attribute__((always_inline)) ~Tracked() { bf_lard_tracked_end(what_); }
  Tracked(const Tracked&) = delete;
  Tracked& operator=(const Tracked&) = delete;

 private:
  unsigned what_;
};

}  // namespace lard
}  // namespace bigfoot
#endif

#endif
