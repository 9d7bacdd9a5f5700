// The C ABI for atomics and fences. See abi/atomics.def.
#include "runtime/context/atomics.h"
#include "runtime/context/events.h"

namespace bigfoot::rt {
namespace {

using u128 = unsigned __int128;

// Our own 16-byte compare-and-swap: the compiler would call a library for it.
bool compare_exchange_wide(u128* p, u128& expected, u128 desired) {
  u64 lo = static_cast<u64>(expected), hi = static_cast<u64>(expected >> 64);
  bool done;
  asm volatile("lock cmpxchg16b %1"
               : "=@ccz"(done), "+m"(*p), "+a"(lo), "+d"(hi)
               : "b"(static_cast<u64>(desired)), "c"(static_cast<u64>(desired >> 64))
               : "memory");
  if (!done) expected = static_cast<u128>(hi) << 64 | lo;
  return done;
}

template <class T>
bool swap_if(T* p, T& expected, T desired) {
  if constexpr (sizeof(T) == 16)
    return compare_exchange_wide(p, expected, desired);
  else
    return compare_exchange(p, expected, desired);
}

template <class T>
T plain_load(T* p) {
  if constexpr (sizeof(T) == 16) {
    u128 v = 0;
    compare_exchange_wide(p, v, v);  // leaves the value it found, or zero over zero
    return v;
  } else {
    return __atomic_load_n(p, __ATOMIC_SEQ_CST);
  }
}

// Any read-modify-write as a compare-and-swap loop; contention is low, for we hold the object's
// lock.
template <class T, class F>
T modify(T* p, F f) {
  T old = plain_load(p);
  while (!swap_if(p, old, f(old))) {
  }
  return old;
}

template <class T>
ByteRange bytes_of(T* p) {
  return {reinterpret_cast<uptr>(p), sizeof(T)};
}

// An operation that always has the same effect.
template <class T, class Op>
void perform(T* p, Pc pc, const AtomicEffect& effect, Op op) {
  const auto performed = [&] {
    op();
    return effect;
  };
  atomic_access(bytes_of(p), effect.wrote ? SyncUse::kChanges : SyncUse::kReads,
                orders(effect.order), pc, performed, [&] { return effect; });
}

// Apart, for the shortcut has no use for its frame.
template <class T>
[[gnu::noinline]] T full_load(T* p, int order, Pc pc) {
  T v;
  perform(p, pc, {true, false, Order{order}}, [&] { v = plain_load(p); });
  return v;
}

template <class T>
T load(T* p, int order, Pc pc) {
  T v;
  if constexpr (sizeof(T) <= 8)
    if (settled_value(p, Order{order}, v)) return v;
  return full_load(p, order, pc);
}

template <class T>
void store(T* p, T value, int order, Pc pc) {
  perform(p, pc, {false, true, Order{order}}, [&] {
    if constexpr (sizeof(T) == 16)
      modify(p, [&](T) { return value; });
    else
      __atomic_store_n(p, value, __ATOMIC_SEQ_CST);
  });
}

template <class T, class F>
T rmw(T* p, int order, Pc pc, F f) {
  T old;
  perform(p, pc, {true, true, Order{order}}, [&] { old = modify(p, f); });
  return old;
}

template <class T>
T compare_and_swap(T* p, T expected, T desired, int success, int failure, Pc pc) {
  T found = expected;
  const bool may_order = orders(Order{success}) || orders(Order{failure});
  const auto effect = [&](bool done) {
    return AtomicEffect{true, done, Order{done ? success : failure}};
  };
  atomic_access(
      bytes_of(p), SyncUse::kChanges, may_order, pc,
      [&] { return effect(swap_if(p, found, desired)); },
      [&] { return effect(plain_load(p) == expected); });
  return found;
}

template <class T>
T exchange_op(T, T v) {
  return v;
}
template <class T>
T fetch_add_op(T a, T v) {
  return static_cast<T>(a + v);
}
template <class T>
T fetch_sub_op(T a, T v) {
  return static_cast<T>(a - v);
}
template <class T>
T fetch_and_op(T a, T v) {
  return static_cast<T>(a & v);
}
template <class T>
T fetch_or_op(T a, T v) {
  return static_cast<T>(a | v);
}
template <class T>
T fetch_xor_op(T a, T v) {
  return static_cast<T>(a ^ v);
}
template <class T>
T fetch_nand_op(T a, T v) {
  return static_cast<T>(~(a & v));
}

}  // namespace
}  // namespace bigfoot::rt

using namespace bigfoot::rt;

#define BF_EXPORT extern "C" __attribute__((visibility("default")))
#define BF_HERE reinterpret_cast<uptr>(__builtin_return_address(0))

#define BF_ATOMIC_WIDTH(bits, T)                                                             \
  BF_EXPORT T __bf_atomic##bits##_load(T* p, int order) {                                    \
    return load(p, order, BF_HERE);                                                          \
  }                                                                                          \
  BF_EXPORT void __bf_atomic##bits##_store(T* p, T v, int order) {                           \
    store(p, v, order, BF_HERE);                                                             \
  }                                                                                          \
  BF_EXPORT T __bf_atomic##bits##_compare_exchange(T* p, T expected, T desired, int success, \
                                                   int failure) {                            \
    return compare_and_swap(p, expected, desired, success, failure, BF_HERE);                \
  }
BF_ATOMIC_WIDTH(8, u8)
BF_ATOMIC_WIDTH(16, u16)
BF_ATOMIC_WIDTH(32, u32)
BF_ATOMIC_WIDTH(64, u64)
BF_ATOMIC_WIDTH(128, unsigned __int128)

#define BF_RMW_WIDTH(bits, T, name)                                         \
  BF_EXPORT T __bf_atomic##bits##_##name(T* p, T v, int order) {            \
    return rmw(p, order, BF_HERE, [v](T a) { return name##_op<T>(a, v); }); \
  }
#define BF_ATOMIC_RMW(name)   \
  BF_RMW_WIDTH(8, u8, name)   \
  BF_RMW_WIDTH(16, u16, name) \
  BF_RMW_WIDTH(32, u32, name) \
  BF_RMW_WIDTH(64, u64, name) \
  BF_RMW_WIDTH(128, unsigned __int128, name)
#include "abi/atomics.def"

BF_EXPORT void __bf_fence(int order) {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  if (__bf_thread.stamp == bigfoot::abi::kStampSingle && !verifying) return;
  atomic_fence(current_thread(), Order{order});
}
