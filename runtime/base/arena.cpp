#include "runtime/base/arena.h"

namespace bigfoot::rt {
namespace {

constexpr usize kBlockBytes = usize{1} << 20;

struct Arena {
  SpinLock lock;
  uptr next = 0;
  uptr end = 0;
  usize total = 0;
};
Arena arena;

uptr map_or_die(usize bytes) {
  void* p = sys::map_memory(bytes);
  if (p == nullptr) die("cannot allocate memory for the run time's tables", "out of memory");
  return reinterpret_cast<uptr>(p);
}

}  // namespace

void* arena_allocate(usize bytes, usize align) {
  SpinGuard guard(arena.lock);
  arena.total += bytes;
  if (bytes >= kBlockBytes / 4) return reinterpret_cast<void*>(map_or_die(bytes));
  uptr at = (arena.next + align - 1) & ~(align - 1);
  if (arena.next == 0 || at + bytes > arena.end) {
    at = map_or_die(kBlockBytes);
    arena.end = at + kBlockBytes;
  }
  arena.next = at + bytes;
  return reinterpret_cast<void*>(at);
}

void arena_before_fork() {
  arena.lock.lock();
}
void arena_after_fork() {
  arena.lock.unlock();
}

usize arena_bytes() {
  SpinGuard guard(arena.lock);
  return arena.total;
}

}  // namespace bigfoot::rt
