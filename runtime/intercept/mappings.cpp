// Address space that comes and goes. The history of a range is dropped while nobody else can have
// it: after it was mapped, before it is unmapped.
#include <sys/mman.h>
#include <sys/types.h>

#include "runtime/intercept/interceptor.h"
#include "runtime/sys/sys.h"

using namespace bigfoot::rt;
using namespace bigfoot::rt::intercept;

namespace {
// As the kernel sees it.
ByteRange pages(const void* p, usize bytes) {
  return {address_of(p), (bytes + sys::kPageBytes - 1) & ~(sys::kPageBytes - 1)};
}

// What the kernel refuses unmaps nothing, and its history goes on.
bool can_be_unmapped(const void* p, usize bytes) {
  constexpr usize kEndOfUserSpace = usize{1} << 47;
  const usize begin = address_of(p);
  return begin % sys::kPageBytes == 0 && begin <= kEndOfUserSpace && bytes != 0 &&
         bytes <= kEndOfUserSpace - begin;
}

// Small mappings hold this and that; those that cannot be accessed are address space to be used
// later, by other mappings or bit by bit. Stacks are not swept over.
MappedFor use_of(usize bytes, int protection, int flags) {
  constexpr usize kLarge = usize{64} << 10;
  const bool array =
      bytes >= kLarge && protection != PROT_NONE && (flags & (MAP_STACK | MAP_GROWSDOWN)) == 0;
  return array ? MappedFor::kArrays : MappedFor::kOther;
}

void* mapped(const Call& call, void* p, usize bytes, MappedFor use) {
  if (call && p != MAP_FAILED) memory_mapped(call.thread(), pages(p, bytes), use, call.pc());
  return p;
}

// A mapping that moves has its new place told first, so that an array's history arrives at an
// array.
void remapped(const Call& call, ByteRange from, ByteRange to) {
  const usize kept = from.size < to.size ? from.size : to.size;
  const MappedFor use = use_of(to.size, PROT_READ, 0);
  Thread& t = call.thread();
  if (from.begin != to.begin) {
    memory_mapped(t, to, use, call.pc());
    memory_moved(t, from.begin, to.begin, kept);
    memory_unmapped(t, from);
  } else if (to.size > kept) {
    memory_mapped(t, {to.begin + kept, to.size - kept}, use_of(to.size - kept, PROT_READ, 0),
                  call.pc());
  } else if (from.size > kept) {
    memory_unmapped(t, {from.begin + kept, from.size - kept});
  }
}
}  // namespace

BF_INTERCEPTOR(void*, mmap, void* at, usize bytes, int protection, int flags, int fd,
               off_t offset) {
  const Call call(BF_PC());
  return mapped(call, real_mmap(at, bytes, protection, flags, fd, offset), bytes,
                use_of(bytes, protection, flags));
}
BF_INTERCEPTOR(void*, mmap64, void* at, usize bytes, int protection, int flags, int fd,
               off_t offset) {
  const Call call(BF_PC());
  return mapped(call, real_mmap64(at, bytes, protection, flags, fd, offset), bytes,
                use_of(bytes, protection, flags));
}

BF_INTERCEPTOR(int, munmap, void* p, usize bytes) {
  const Call call(BF_PC());
  if (call && can_be_unmapped(p, bytes)) memory_unmapped(call.thread(), pages(p, bytes));
  return real_munmap(p, bytes);
}

BF_INTERCEPTOR(void*, mremap, void* old, usize old_bytes, usize new_bytes, int flags, void* to) {
  const Call call(BF_PC());
  void* p = real_mremap(old, old_bytes, new_bytes, flags, to);
  if (call && p != MAP_FAILED) remapped(call, pages(old, old_bytes), pages(p, new_bytes));
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
