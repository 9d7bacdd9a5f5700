// Address space that comes and goes. The history of a range is dropped while nobody else can have
// it: after it was mapped, before it is unmapped.
#include <sys/mman.h>
#include <sys/types.h>

#include "runtime/intercept/interceptor.h"

using namespace bigfoot::rt;
using namespace bigfoot::rt::intercept;

namespace {
void* mapped(const Call& call, void* p, usize bytes) {
  if (call && p != MAP_FAILED) memory_cleared(call.thread(), {address_of(p), bytes});
  return p;
}

void remapped(const Call& call, uptr from, usize old_bytes, uptr to, usize new_bytes) {
  usize kept = old_bytes < new_bytes ? old_bytes : new_bytes;
  Thread& t = call.thread();
  if (from != to) memory_moved(t, from, to, kept);
  if (new_bytes > kept) memory_cleared(t, {to + kept, new_bytes - kept});
  if (old_bytes > kept) memory_cleared(t, {from + kept, old_bytes - kept});
}
}  // namespace

BF_INTERCEPTOR(void*, mmap, void* at, usize bytes, int protection, int flags, int fd,
               off_t offset) {
  const Call call(BF_PC());
  return mapped(call, real_mmap(at, bytes, protection, flags, fd, offset), bytes);
}
BF_INTERCEPTOR(void*, mmap64, void* at, usize bytes, int protection, int flags, int fd,
               off_t offset) {
  const Call call(BF_PC());
  return mapped(call, real_mmap64(at, bytes, protection, flags, fd, offset), bytes);
}

BF_INTERCEPTOR(int, munmap, void* p, usize bytes) {
  const Call call(BF_PC());
  if (call) memory_cleared(call.thread(), {address_of(p), bytes});
  return real_munmap(p, bytes);
}

BF_INTERCEPTOR(void*, mremap, void* old, usize old_bytes, usize new_bytes, int flags, void* to) {
  const Call call(BF_PC());
  void* p = real_mremap(old, old_bytes, new_bytes, flags, to);
  if (call && p != MAP_FAILED) remapped(call, address_of(old), old_bytes, address_of(p), new_bytes);
  return p;
}

// Locking everything would make the whole shadow resident. The promise these calls make is about
// time, which nobody who runs under a race detector relies on.
BF_DEFINE(int, mlockall, (int)) {
  return 0;
}
BF_DEFINE(int, munlockall, ()) {
  return 0;
}
