// Where a thread's stack and its static thread-local storage are.
//
//   | guard | stack ... <- sp |  static TLS  | thread control block |
//                                            ^ thread pointer (what pthread_self returns)
//
// The C library knows the outer ends; how far the static TLS reaches below the thread pointer is
// the same for every thread and is measured once, on the main thread, over the modules loaded by
// then.
#include <link.h>
#include <pthread.h>

#include "runtime/intercept/intercept.h"
#include "runtime/intercept/interceptor.h"

namespace bigfoot::rt::intercept {
namespace {

constexpr usize kMaxStaticTls = usize{16} << 20;
constexpr usize kControlBlock =
    2304;  // sizeof(struct pthread) of glibc 2.36, which no header tells

usize static_tls_bytes = 0;

int measure_module(dl_phdr_info* module, size_t, void* thread_pointer) {
  uptr at = address_of(module->dlpi_tls_data);
  uptr tp = address_of(thread_pointer);
  if (at != 0 && tp - at < kMaxStaticTls && tp - at > static_tls_bytes) static_tls_bytes = tp - at;
  return 0;
}

}  // namespace

void measure_static_tls() {
  dl_iterate_phdr(measure_module, reinterpret_cast<void*>(pthread_self()));
}

ThreadMemory memory_of_this_thread() {
  uptr tp = static_cast<uptr>(pthread_self());
  ThreadMemory m;
  m.tls = {tp - static_tls_bytes, static_tls_bytes + kControlBlock};
  pthread_attr_t attr;
  if (pthread_getattr_np(pthread_self(), &attr) != 0) return m;
  void* start = nullptr;
  usize size = 0;
  if (pthread_attr_getstack(&attr, &start, &size) == 0) m.stack = {address_of(start), size};
  pthread_attr_destroy(&attr);
  // Threads other than the main one have their TLS at the upper end of the stack's mapping.
  if (m.stack.contains(m.tls.begin)) {
    m.tls.size = m.stack.end() - m.tls.begin;
    m.stack.size = m.tls.begin - m.stack.begin;
  }
  return m;
}

}  // namespace bigfoot::rt::intercept
