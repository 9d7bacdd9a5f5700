// What an access is: the words detector, shadow and report share.
#pragma once

#include "runtime/base/types.h"

namespace bigfoot::rt {

enum class AccessKind : u8 {
  kRead = 0,
  kWrite = 1,
  kAtomicRead = 2,
  kAtomicWrite = 3,
  kFree = 4,       // the end of a heap block: conflicts like a write
  kVptrWrite = 5,  // a constructor or destructor sets the virtual-table pointer
};

constexpr bool is_write(AccessKind k) {
  return k != AccessKind::kRead && k != AccessKind::kAtomicRead;
}
constexpr bool is_atomic(AccessKind k) {
  return k == AccessKind::kAtomicRead || k == AccessKind::kAtomicWrite;
}

// Two accesses conflict if one writes and not both are atomic.
constexpr bool conflict(AccessKind a, AccessKind b) {
  return (is_write(a) || is_write(b)) && !(is_atomic(a) && is_atomic(b));
}

// Names a (source position, calling context, kind, size) in the origin depot: where an access came
// from. Zero is "unknown". Stable for the life of the process.
enum class Origin : u32 {};
inline constexpr Origin kNoOrigin{0};
constexpr u32 raw(Origin o) {
  return static_cast<u32>(o);
}

// Names a set of locks that a thread held; see sync/lockset.h.
enum class LocksetId : u32 {};
inline constexpr LocksetId kNoLocks{0};
constexpr u32 raw(LocksetId l) {
  return static_cast<u32>(l);
}

}  // namespace bigfoot::rt
