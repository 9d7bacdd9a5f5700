// The system contract on Linux for x86-64, by raw system calls.
#include <fcntl.h>
#include <linux/futex.h>
#include <linux/membarrier.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

#include "runtime/base/atomic.h"
#include "runtime/base/string.h"
#include "runtime/sys/sys.h"

extern "C" char** environ;

namespace bigfoot::rt::sys {
namespace {

i64 raw6(long number, u64 a, u64 b, u64 c, u64 d, u64 e, u64 f) {
  i64 result;
  register u64 r10 asm("r10") = d;
  register u64 r8 asm("r8") = e;
  register u64 r9 asm("r9") = f;
  asm volatile("syscall"
               : "=a"(result)
               : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
               : "rcx", "r11", "memory");
  return result;
}

template <class T>
u64 word(T v) {
  if constexpr (__is_pointer(T)) return reinterpret_cast<u64>(v);
  else return static_cast<u64>(v);
}

template <class... A>
i64 call(long number, A... args) {
  u64 w[6] = {word(args)...};
  return raw6(number, w[0], w[1], w[2], w[3], w[4], w[5]);
}

usize round_to_pages(usize n) { return (n + kPageBytes - 1) & ~(kPageBytes - 1); }
int raw(Fd fd) { return static_cast<int>(fd); }
bool failed(i64 r) { return r < 0 && r > -4096; }

void* map(usize bytes, int protection) {
  i64 r = call(SYS_mmap, 0, round_to_pages(bytes), protection,
               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return failed(r) ? nullptr : reinterpret_cast<void*>(r);
}

Fd open_with(const char* path, int flags) {
  i64 r = call(SYS_openat, AT_FDCWD, path, flags | O_CLOEXEC, 0644);
  return failed(r) ? kNoFd : Fd{static_cast<int>(r)};
}

}  // namespace

void* map_memory(usize bytes) { return map(bytes, PROT_READ | PROT_WRITE); }
void* map_zero_pages(usize bytes) { return map(bytes, PROT_READ); }
void unmap_memory(void* p, usize bytes) { call(SYS_munmap, p, round_to_pages(bytes)); }
void discard_pages(void* p, usize bytes) { call(SYS_madvise, p, bytes, MADV_DONTNEED); }

Fd open_for_append(const char* path) { return open_with(path, O_WRONLY | O_CREAT | O_APPEND); }
Fd open_for_read(const char* path) { return open_with(path, O_RDONLY); }
i64 read_some(Fd fd, void* to, usize n) {
  i64 r;
  do r = call(SYS_read, raw(fd), to, n);
  while (r == -4 /* EINTR */);
  return r;
}
bool write_all(Fd fd, const void* from, usize n) {
  const char* at = static_cast<const char*>(from);
  while (n > 0) {
    i64 r = call(SYS_write, raw(fd), at, n);
    if (r == -4 /* EINTR */) continue;
    if (r <= 0) return false;
    at += r;
    n -= static_cast<usize>(r);
  }
  return true;
}
void close(Fd fd) { call(SYS_close, raw(fd)); }
bool exists(const char* path) { return call(SYS_faccessat, AT_FDCWD, path, 0 /* F_OK */) == 0; }
bool executable(const char* path) { return call(SYS_faccessat, AT_FDCWD, path, 1 /* X_OK */) == 0; }

u32 process_id() { return static_cast<u32>(call(SYS_getpid)); }
u32 thread_id() { return static_cast<u32>(call(SYS_gettid)); }
void exit_process(int code) {
  call(SYS_exit_group, code);
  __builtin_trap();
}
void yield_cpu() { call(SYS_sched_yield); }
u64 monotonic_nanoseconds() {
  timespec t{};
  call(SYS_clock_gettime, CLOCK_MONOTONIC, &t);
  return static_cast<u64>(t.tv_sec) * 1000000000u + static_cast<u64>(t.tv_nsec);
}
const char* environment(const char* name) {
  usize n = length(name);
  for (char** e = environ; e != nullptr && *e != nullptr; ++e)
    if (starts_with(*e, name) && (*e)[n] == '=') return *e + n + 1;
  return nullptr;
}
usize executable_path(char* to, usize capacity) {
  i64 r = call(SYS_readlink, "/proc/self/exe", to, capacity - 1);
  if (failed(r)) return 0;
  to[r] = 0;
  return static_cast<usize>(r);
}

bool start_child(const char* path, const char* const* argv, Child& child) {
  int in[2], out[2];
  if (call(SYS_pipe2, in, O_CLOEXEC) != 0) return false;
  if (call(SYS_pipe2, out, O_CLOEXEC) != 0) {
    call(SYS_close, in[0]);
    call(SYS_close, in[1]);
    return false;
  }
  i64 pid = call(SYS_clone, SIGCHLD, 0, 0, 0, 0);
  if (pid == 0) {
    call(SYS_dup2, in[0], 0);
    call(SYS_dup2, out[1], 1);
    call(SYS_execve, path, argv, environ);
    call(SYS_exit_group, 127);
  }
  call(SYS_close, in[0]);
  call(SYS_close, out[1]);
  if (failed(pid)) {
    call(SYS_close, in[1]);
    call(SYS_close, out[0]);
    return false;
  }
  child = {static_cast<u32>(pid), Fd{in[1]}, Fd{out[0]}};
  return true;
}
void end_child(Child& child) {
  close(child.to);
  close(child.from);
  int status = 0;
  while (call(SYS_wait4, child.pid, &status, 0, 0) == -4 /* EINTR */) {
  }
  child = {};
}

void futex_wait(u32* word_, u32 expected) {
  call(SYS_futex, word_, FUTEX_WAIT_PRIVATE, expected, 0, 0, 0);
}
void futex_wake(u32* word_, u32 count) { call(SYS_futex, word_, FUTEX_WAKE_PRIVATE, count, 0, 0, 0); }

bool barrier_all_threads() {
  static u32 registered = 0;
  if (load_acquire(&registered) == 0) {
    if (call(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) != 0) return false;
    store_release(&registered, u32{1});
  }
  return call(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) == 0;
}

}  // namespace bigfoot::rt::sys
