#include "runtime/heap/thread_cache.h"

#include "runtime/base/arena.h"
#include "runtime/base/atomic.h"
#include "runtime/base/check.h"
#include "runtime/heap/class_lists.h"

namespace bigfoot::rt::heap {
namespace {

struct Caches {
  SpinLock lock;
  ThreadCache* all = nullptr;
  ThreadCache* idle = nullptr;
};
Caches caches;

// Null: not made yet. A thread that has ended its cache is marked apart, so that it gets no new
// one.
[[gnu::tls_model("initial-exec")]] constinit thread_local ThreadCache* current = nullptr;
[[gnu::tls_model("initial-exec")]] constinit thread_local bool ended = false;

ThreadCache* make_current() {
  if (ended) return nullptr;
  SpinGuard guard(caches.lock);
  ThreadCache* c = caches.idle;
  if (c != nullptr) {
    caches.idle = c->next_idle;
  } else {
    c = arena_new<ThreadCache>();
    c->next_all = caches.all;
    caches.all = c;
  }
  c->active = 1;
  current = c;
  return c;
}

void give_all(ThreadCache& cache) {
  for (unsigned i = 0; i < kClassCount; ++i) {
    ThreadCache::Stock& s = cache.stocks[i];
    if (s.count > 0) class_lists[i].give(static_cast<SizeClass>(i), s.blocks, s.count, &s.count);
  }
}

[[gnu::noinline]] void* take_slow(SizeClass c) {
  ThreadCache* cache = current != nullptr ? current : make_current();
  if (cache == nullptr) {
    uptr block = 0;
    u32 n = 0;
    class_lists[index(c)].take(c, &block, 1, &n);
    return n == 1 ? reinterpret_cast<void*>(block) : nullptr;
  }
  ThreadCache::Stock& s = cache->stocks[index(c)];
  u32 batch = info(c).cached / 2;
  class_lists[index(c)].take(c, s.blocks, batch > 0 ? batch : 1, &s.count);
  if (s.count == 0) return nullptr;
  store_relaxed(&s.count, s.count - 1);
  return reinterpret_cast<void*>(s.blocks[s.count]);
}

[[gnu::noinline]] void give_slow(SizeClass c, uptr block) {
  ThreadCache* cache = current != nullptr ? current : make_current();
  if (cache == nullptr) {
    u32 one = 1;
    class_lists[index(c)].give(c, &block, 1, &one);
    return;
  }
  ThreadCache::Stock& s = cache->stocks[index(c)];
  if (s.count == info(c).cached) {
    u32 batch = (s.count + 1) / 2;
    class_lists[index(c)].give(c, s.blocks, batch, &s.count);
  }
  s.blocks[s.count] = block;
  store_release(&s.count, s.count + 1);
}

}  // namespace

void* cache_take(SizeClass c) {
  ThreadCache* cache = current;
  if (BF_UNLIKELY(cache == nullptr)) return take_slow(c);
  ThreadCache::Stock& s = cache->stocks[index(c)];
  u32 n = s.count;
  if (BF_UNLIKELY(n == 0)) return take_slow(c);
  store_relaxed(&s.count, n - 1);
  return reinterpret_cast<void*>(s.blocks[n - 1]);
}

void cache_give(SizeClass c, void* block) {
  ThreadCache* cache = current;
  if (BF_UNLIKELY(cache == nullptr)) return give_slow(c, reinterpret_cast<uptr>(block));
  ThreadCache::Stock& s = cache->stocks[index(c)];
  u32 n = s.count;
  if (BF_UNLIKELY(n == info(c).cached)) return give_slow(c, reinterpret_cast<uptr>(block));
  s.blocks[n] = reinterpret_cast<uptr>(block);
  store_release(&s.count, n + 1);
}

void cache_end_thread() {
  ThreadCache* c = current;
  current = nullptr;
  ended = true;
  if (c == nullptr) return;
  give_all(*c);
  SpinGuard guard(caches.lock);
  c->active = 0;
  c->next_idle = caches.idle;
  caches.idle = c;
}

void caches_before_fork() {
  caches.lock.lock();
}
void caches_after_fork_parent() {
  caches.lock.unlock();
}
void caches_after_fork_child() {
  caches.lock.reset_after_fork();
  for (ThreadCache* c = caches.all; c != nullptr; c = c->next_all) {
    if (c == current || c->active == 0) continue;
    give_all(*c);
    c->active = 0;
    c->next_idle = caches.idle;
    caches.idle = c;
  }
}

}  // namespace bigfoot::rt::heap
