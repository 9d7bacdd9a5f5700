// The malloc family, and what operator new and delete (new_delete.cpp) do.
//
// Events: a block begins (memory_allocated), is written by whoever zeroes or moves it, and ends
// (memory_freed). realloc is what the standard says it is: a new block, a copy, the end of the old
// one, also where the address stays.
#include "runtime/intercept/memory.h"

#include <errno.h>

#include "runtime/base/print.h"
#include "runtime/base/string.h"
#include "runtime/heap/heap.h"
#include "runtime/intercept/hold_signals.h"
#include "runtime/intercept/interceptor.h"
#include "runtime/intercept/process.h"
#include "runtime/intercept/wrapper.h"

using namespace bigfoot::rt;
using namespace bigfoot::rt::intercept;

BF_REAL(void, free, (void*))
BF_REAL(void*, realloc, (void*, usize))
BF_REAL(usize, malloc_usable_size, (void*))

namespace {

constexpr usize kPage = sys::kPageBytes;

bool is_power_of_two(usize n) {
  return n != 0 && (n & (n - 1)) == 0;
}

void* or_enomem(void* p) {
  if (p == nullptr) errno = ENOMEM;
  return p;
}

[[noreturn]] void bad_free(void* p, const Call& call) {
  heap::Block b = heap::find(address_of(p));
  bool freed_before = b.bytes.begin == address_of(p) && !b.live;
  // Two frees without order between them are a race as well, and its report names both.
  if (call && freed_before) memory_freed(call.thread(), b.bytes, call.pc());
  LineBuffer<256> out;
  out.add("bigfoot: free of ").add_hex(address_of(p));
  out.add(freed_before ? ": the block has been freed already\n" : ": not the start of a block\n");
  out.write_to(sys::kStderr);
  end_by_abort();
}

// A block that came into being unwatched (the C library's own, made while it creates a thread) has
// no events: where it lies may still carry what its previous owner did.
bool has_events(const Call& call, const heap::Block& b) {
  return call && b.thread != kNoThread;
}

void release_block(void* p, Pc pc) {
  HoldSignals hold;
  const Call call(pc);
  const heap::Block b = heap::live_block(p);
  if (BF_UNLIKELY(!b.live)) bad_free(p, call);
  if (has_events(call, b)) memory_freed(call.thread(), b.bytes, pc);
  heap::deallocate(p);
}

// The block begins, and its first `written` bytes are the calling thread's doing.
void tell_allocated(const Call& call, void* p, usize size, usize written) {
  memory_allocated(call.thread(), {address_of(p), size}, call.pc());
  if (written != 0)
    access_range(call.thread(), {address_of(p), written}, AccessKind::kWrite, call.pc());
}

void* resize(void* old, usize size, Pc pc) {
  HoldSignals hold;
  const Call call(pc);
  const heap::Block before = heap::live_block(old);
  if (BF_UNLIKELY(!before.live)) bad_free(old, call);
  const usize kept = size < before.bytes.size ? size : before.bytes.size;
  const Origin origin = call ? origin_of(call.thread(), pc) : kNoOrigin;
  const ThreadId id = call ? id_of(call.thread()) : kNoThread;
  if (heap::resize_in_place(old, size, origin, id)) {
    if (has_events(call, before)) memory_freed(call.thread(), before.bytes, pc);
    if (call) tell_allocated(call, old, size, kept);
    return old;
  }
  void* p = heap::allocate(size, heap::kMinAlign, false, origin, id);
  if (p == nullptr) return nullptr;
  copy_bytes(p, old, kept);
  if (call) tell_allocated(call, p, size, kept);
  if (has_events(call, before)) memory_freed(call.thread(), before.bytes, pc);
  heap::deallocate(old);
  return p;
}

void* reallocate(void* p, usize size, Pc pc) {
  if (p == nullptr) return or_enomem(intercept::allocate({.size = size}, pc));
  if (!heap::owns(p)) return real_realloc(p, size);
  if (size != 0) return or_enomem(resize(p, size, pc));
  release_block(p, pc);
  return nullptr;
}

}  // namespace

void* intercept::allocate(const AllocationRequest& r, Pc pc) {
  HoldSignals hold;
  const Call call(pc);
  if (!call) return heap::allocate(r.size, r.align, r.zeroed, kNoOrigin, kNoThread);
  Thread& t = call.thread();
  void* p = heap::allocate(r.size, r.align, r.zeroed, origin_of(t, pc), id_of(t));
  if (p != nullptr) tell_allocated(call, p, r.size, r.zeroed ? r.size : 0);
  return p;
}

void intercept::free_pointer(void* p, Pc pc) {
  if (p == nullptr) return;
  if (BF_UNLIKELY(!heap::owns(p))) return real_free(p);
  release_block(p, pc);
}

#define BF_ALLOCATOR(result, name, ...) BF_DEFINE(result, name, (__VA_ARGS__))

BF_ALLOCATOR(void*, malloc, usize size) {
  return or_enomem(intercept::allocate({.size = size}, BF_PC()));
}

BF_ALLOCATOR(void*, calloc, usize count, usize size) {
  usize bytes = 0;
  if (__builtin_mul_overflow(count, size, &bytes)) return or_enomem(nullptr);
  return or_enomem(intercept::allocate({.size = bytes, .zeroed = true}, BF_PC()));
}

BF_ALLOCATOR(void*, realloc, void* p, usize size) {
  return reallocate(p, size, BF_PC());
}

BF_ALLOCATOR(void*, reallocarray, void* p, usize count, usize size) {
  usize bytes = 0;
  if (__builtin_mul_overflow(count, size, &bytes)) return or_enomem(nullptr);
  return reallocate(p, bytes, BF_PC());
}

BF_ALLOCATOR(void, free, void* p) {
  free_pointer(p, BF_PC());
}
BF_ALLOCATOR(void, cfree, void* p) {
  free_pointer(p, BF_PC());
}

BF_ALLOCATOR(void*, memalign, usize align, usize size) {
  usize power = heap::kMinAlign;  // as the C library: rounded up to a power of two
  while (power < align && power != 0) power *= 2;
  if (power == 0) {
    errno = EINVAL;
    return nullptr;
  }
  return or_enomem(intercept::allocate({.size = size, .align = power}, BF_PC()));
}

BF_ALLOCATOR(void*, aligned_alloc, usize align, usize size) {
  if (!is_power_of_two(align)) {
    errno = EINVAL;
    return nullptr;
  }
  return or_enomem(intercept::allocate({.size = size, .align = align}, BF_PC()));
}

namespace {
int allocate_at(void** result, usize align, usize size, Pc pc) {
  if (!is_power_of_two(align) || align % sizeof(void*) != 0) return EINVAL;
  void* p = intercept::allocate({.size = size, .align = align}, pc);
  if (p == nullptr) return ENOMEM;
  *result = p;
  return 0;
}
}  // namespace

BF_ALLOCATOR(int, posix_memalign, void** result, usize align, usize size) {
  return allocate_at(result, align, size, BF_PC());
}
// Called by the program itself: where the result goes is its memory.
BF_EXPORT int __bf_posix_memalign(void** result, usize align, usize size) {
  const Pc pc = BF_PC();
  const int error = allocate_at(result, align, size, pc);
  if (error == 0) writes(Call(pc), result, sizeof *result);
  return error;
}

BF_ALLOCATOR(void*, valloc, usize size) {
  return or_enomem(intercept::allocate({.size = size, .align = kPage}, BF_PC()));
}

BF_ALLOCATOR(void*, pvalloc, usize size) {
  usize rounded = (size + kPage - 1) & ~(kPage - 1);
  if (rounded < size) return or_enomem(nullptr);
  return or_enomem(
      intercept::allocate({.size = rounded == 0 ? kPage : rounded, .align = kPage}, BF_PC()));
}

BF_ALLOCATOR(usize, malloc_usable_size, void* p) {
  if (p == nullptr) return 0;
  return heap::owns(p) ? heap::usable_size(p) : real_malloc_usable_size(p);
}
