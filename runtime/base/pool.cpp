#include "runtime/base/pool.h"

#include "runtime/base/arena.h"
#include "runtime/base/spin_lock.h"

namespace bigfoot::rt {
namespace {

struct FreeBlock {
  FreeBlock* next;
};

// Classes of 16 B to 1 GiB; a lock for each, so that threads of one kind of object meet only there.
constexpr unsigned kMinBits = 4;
constexpr unsigned kClasses = 27;

struct SizeClass {
  SpinLock lock;
  FreeBlock* free = nullptr;
};
SizeClass classes[kClasses];

unsigned class_of(usize bytes) {
  if (bytes <= usize{1} << kMinBits) return 0;
  return 64 - static_cast<unsigned>(__builtin_clzll(bytes - 1)) - kMinBits;
}

}  // namespace

void* pool_allocate(usize bytes) {
  unsigned c = class_of(bytes);
  BF_CHECK(c < kClasses);
  SizeClass& sc = classes[c];
  {
    SpinGuard guard(sc.lock);
    if (FreeBlock* b = sc.free) {
      sc.free = b->next;
      return b;
    }
  }
  return arena_allocate(usize{1} << (c + kMinBits));
}

void pool_free(void* p, usize bytes) {
  if (p == nullptr) return;
  SizeClass& sc = classes[class_of(bytes)];
  auto* b = static_cast<FreeBlock*>(p);
  SpinGuard guard(sc.lock);
  b->next = sc.free;
  sc.free = b;
}

void pool_before_fork() {
  for (SizeClass& sc : classes) sc.lock.lock();
}
void pool_after_fork() {
  for (SizeClass& sc : classes) sc.lock.unlock();
}

}  // namespace bigfoot::rt
