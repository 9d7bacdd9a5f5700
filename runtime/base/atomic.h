// Atomic access to plain words of shadow memory.
//
// std::atomic_ref is not used because the run time is built without the C++ library's out-of-line
// parts and because cells are accessed at mixed sizes (one stamp, one half, the whole cell), which
// only the builtins allow to say.
#pragma once

#include "runtime/base/types.h"

namespace bigfoot::rt {

template <class T>
inline T load_relaxed(const T* p) { return __atomic_load_n(p, __ATOMIC_RELAXED); }
template <class T>
inline T load_acquire(const T* p) { return __atomic_load_n(p, __ATOMIC_ACQUIRE); }
template <class T>
inline void store_relaxed(T* p, T v) { __atomic_store_n(p, v, __ATOMIC_RELAXED); }
template <class T>
inline void store_release(T* p, T v) { __atomic_store_n(p, v, __ATOMIC_RELEASE); }
template <class T>
inline T fetch_add(T* p, T v) { return __atomic_fetch_add(p, v, __ATOMIC_ACQ_REL); }
template <class T>
inline T fetch_and(T* p, T v) { return __atomic_fetch_and(p, v, __ATOMIC_SEQ_CST); }
template <class T>
inline T exchange(T* p, T v) { return __atomic_exchange_n(p, v, __ATOMIC_SEQ_CST); }

// True if *p was `expected` and is now `desired`; otherwise `expected` holds what was found.
template <class T>
inline bool compare_exchange(T* p, T& expected, T desired) {
  return __atomic_compare_exchange_n(p, &expected, desired, false, __ATOMIC_SEQ_CST,
                                     __ATOMIC_ACQUIRE);
}

inline void full_fence() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
inline void cpu_pause() { __builtin_ia32_pause(); }

}  // namespace bigfoot::rt
