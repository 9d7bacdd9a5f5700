// Scripted interleavings: what a test uses to make one schedule happen every time.
//
// The functions are compiled by the plain compiler, without any instrumentation (support/script.c),
// and use nothing a detector intercepts, so a detector sees neither the waiting nor an ordering. A
// test says
//
//     thread 1: x = 1; script_post(0);          thread 2: script_wait(0); x = 2;
//
// and thread 2 always comes second although, by happens-before, nothing orders the two writes.
// To the compiler the calls are opaque: it moves no access to shared memory across them.
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

enum { kScriptPoints = 64 };

// Says that `point` (0 .. kScriptPoints-1) has been reached once more. Async-signal-safe.
void script_post(int point);

// Returns once `point` has been posted at least once.
void script_wait(int point);

// Returns once `point` has been posted at least `posts` times.
void script_wait_for(int point, int posts);

// Lets a value, or an object, out of the compiler's sight: the load that made `value` can not be
// removed, nor the stores to `*object`, at any optimisation level and under LTO. Neither call
// touches memory of the program.
void keep(long value);
void keep_object(const void* object);

#ifdef __cplusplus
}
#endif
