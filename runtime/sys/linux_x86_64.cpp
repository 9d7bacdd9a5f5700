// The system contract on Linux for x86-64, by raw system calls.
#include <asm/termbits.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <linux/membarrier.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
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

constexpr int kSignalCount = 64;
constexpr u64 kAllSignals = ~u64{0};
constexpr u64 signal_bit(int s) { return u64{1} << (s - 1); }

u64 set_signal_mask(u64 mask) {
  u64 old = 0;
  call(SYS_rt_sigprocmask, SIG_SETMASK, &mask, &old, sizeof mask);
  return old;
}

}  // namespace

void* map_memory(usize bytes) { return map(bytes, PROT_READ | PROT_WRITE); }
void* map_zero_pages(usize bytes) { return map(bytes, PROT_READ); }
void unmap_memory(void* p, usize bytes) { call(SYS_munmap, p, round_to_pages(bytes)); }
void discard_pages(void* p, usize bytes) { call(SYS_madvise, p, bytes, MADV_DONTNEED); }
void resident_pages(void* p, usize count, u8* out) {
  if (call(SYS_mincore, p, count * kPageBytes, out) == 0) return;
  for (usize i = 0; i < count; ++i) out[i] = 1;
}

Fd open_for_append(const char* path) { return open_with(path, O_WRONLY | O_CREAT | O_APPEND); }
i64 try_open_for_append(const char* path) {
  return call(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
}
const char* error_text(i64 error) {
  constexpr struct {
    int number;
    const char* text;
  } kTexts[] = {{ENOSPC, "no space left on device"},
                {EDQUOT, "disk quota exceeded"},
                {EFBIG, "file too large"},
                {EACCES, "permission denied"},
                {EPERM, "operation not permitted"},
                {ENOENT, "no such file or directory"},
                {ENOTDIR, "not a folder"},
                {EISDIR, "is a folder"},
                {EROFS, "read-only file system"},
                {EMFILE, "too many open files"},
                {ENFILE, "too many open files in the system"},
                {EBADF, "the file is closed"},
                {EPIPE, "nobody reads it any more"},
                {ELOOP, "too many symbolic links"},
                {ENAMETOOLONG, "name too long"},
                {EIO, "input/output error"}};
  for (const auto& t : kTexts)
    if (-error == t.number) return t.text;
  return "unexpected error";
}
Fd open_for_read(const char* path) { return open_with(path, O_RDONLY); }
i64 read_some(Fd fd, void* to, usize n) {
  i64 r;
  do r = call(SYS_read, raw(fd), to, n);
  while (r == -EINTR);
  return r;
}
i64 read_at(Fd fd, void* to, usize n, u64 offset) {
  i64 r;
  do r = call(SYS_pread64, raw(fd), to, n, offset);
  while (r == -EINTR);
  return r;
}
i64 write_some(Fd fd, const void* from, usize n) {
  i64 r;
  do r = call(SYS_write, raw(fd), from, n);
  while (r == -EINTR);
  return r;
}
bool wait_readable(Fd fd, u32 milliseconds) {
  const u64 end = monotonic_nanoseconds() + u64{milliseconds} * 1000000u;
  for (;;) {
    pollfd p = {raw(fd), POLLIN, 0};
    const u64 now = monotonic_nanoseconds();
    const u64 left = now < end ? (end - now + 999999u) / 1000000u : 0;
    const i64 r = call(SYS_poll, &p, 1, left);
    if (r != -EINTR) return r > 0;
  }
}
u64 file_size(Fd fd) {
  const i64 r = call(SYS_lseek, raw(fd), 0, 2 /* SEEK_END */);
  return failed(r) ? 0 : static_cast<u64>(r);
}
bool truncate(Fd fd, u64 size) { return call(SYS_ftruncate, raw(fd), size) == 0; }
bool is_terminal(Fd fd) {
  char settings[256];  // struct termios of the kernel is 36 bytes
  return call(SYS_ioctl, raw(fd), TCGETS, settings) == 0;
}
bool write_all(Fd fd, const void* from, usize n) {
  const char* at = static_cast<const char*>(from);
  while (n > 0) {
    i64 r = call(SYS_write, raw(fd), at, n);
    if (r == -EINTR) continue;
    if (r <= 0) return false;
    at += r;
    n -= static_cast<usize>(r);
  }
  return true;
}
void close(Fd fd) { call(SYS_close, raw(fd)); }
bool exists(const char* path) { return call(SYS_faccessat, AT_FDCWD, path, 0 /* F_OK */) == 0; }
bool writable(const char* path) { return call(SYS_faccessat, AT_FDCWD, path, 2 /* W_OK */) == 0; }
bool executable(const char* path) { return call(SYS_faccessat, AT_FDCWD, path, 1 /* X_OK */) == 0; }

u32 process_id() { return static_cast<u32>(call(SYS_getpid)); }
u32 thread_id() { return static_cast<u32>(call(SYS_gettid)); }
u64 block_signals() {
  constexpr u64 kOwnFault = signal_bit(SIGSEGV) | signal_bit(SIGBUS) | signal_bit(SIGILL) |
                            signal_bit(SIGFPE) | signal_bit(SIGTRAP) | signal_bit(SIGABRT);
  const u64 mask = kAllSignals & ~kOwnFault;
  u64 old = 0;
  call(SYS_rt_sigprocmask, SIG_BLOCK, &mask, &old, sizeof mask);
  return old;
}
void restore_signals(u64 blocked_before) { set_signal_mask(blocked_before); }
void abort_process() {
  call(SYS_tgkill, process_id(), thread_id(), SIGABRT);
  __builtin_trap();
}
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
u64 wall_clock_milliseconds() {
  timespec t{};
  call(SYS_clock_gettime, CLOCK_REALTIME, &t);
  return static_cast<u64>(t.tv_sec) * 1000u + static_cast<u64>(t.tv_nsec) / 1000000u;
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

namespace {

// Out of the way: above 2, so that dup2 onto 0 and 1 never meets its own source in a program that has
// closed its standard files, and high, because programs that close "all" files reuse the low numbers.
void move_up(int& fd) {
  constexpr int kHigh = 400;
  i64 moved = call(SYS_fcntl, fd, F_DUPFD_CLOEXEC, kHigh);
  if (failed(moved)) moved = call(SYS_fcntl, fd, F_DUPFD_CLOEXEC, 3);
  if (failed(moved)) return;
  call(SYS_close, fd);
  fd = static_cast<int>(moved);
}

[[noreturn]] void become(const char* path, const char* const* argv, int in, int out) {
  call(SYS_dup2, in, 0);
  call(SYS_dup2, out, 1);
  // A pipe of the program that stayed open here would never read as ended there.
  if (call(SYS_close_range, 3, ~u32{0}, 0) != 0)
    for (int fd = 3; fd < 1024; ++fd) call(SYS_close, fd);
  struct {
    u64 handler, flags, restorer, mask;
  } default_action = {};
  for (int s = 1; s <= kSignalCount; ++s)
    call(SYS_rt_sigaction, s, &default_action, 0, sizeof default_action.mask);
  set_signal_mask(0);
  call(SYS_execve, path, argv, environ);
  call(SYS_exit_group, 127);
  __builtin_trap();
}

}  // namespace

bool start_child(const char* path, const char* const* argv, Child& child) {
  int in[2], out[2];
  // A socket, because a write to it can say "no SIGPIPE".
  if (call(SYS_socketpair, AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, in) != 0) return false;
  if (call(SYS_pipe2, out, O_CLOEXEC) != 0) {
    call(SYS_close, in[0]);
    call(SYS_close, in[1]);
    return false;
  }
  for (int i = 0; i < 2; ++i) {
    move_up(in[i]);
    move_up(out[i]);
  }
  // No handler of the program may run in the child; an exit signal of 0 hides it from the program.
  const u64 mask = set_signal_mask(kAllSignals);
  i64 pid = call(SYS_clone, 0, 0, 0, 0, 0);
  if (pid == 0) become(path, argv, in[1], out[1]);
  set_signal_mask(mask);
  call(SYS_close, in[1]);
  call(SYS_close, out[1]);
  if (failed(pid)) {
    call(SYS_close, in[0]);
    call(SYS_close, out[0]);
    return false;
  }
  child = {static_cast<u32>(pid), Fd{in[0]}, Fd{out[0]}};
  return true;
}
bool send_to_child(const Child& child, const void* from, usize n) {
  const char* at = static_cast<const char*>(from);
  while (n > 0) {
    i64 r = call(SYS_sendto, raw(child.to), at, n, MSG_NOSIGNAL, 0, 0);
    if (r == -EINTR) continue;
    if (r <= 0) return false;
    at += r;
    n -= static_cast<usize>(r);
  }
  return true;
}
void forget_child(Child& child) {
  close(child.to);
  close(child.from);
  child = {};
}
void end_child(Child& child) {
  const u32 pid = child.pid;
  forget_child(child);
  call(SYS_kill, pid, SIGKILL);
  int status = 0;
  while (call(SYS_wait4, pid, &status, __WALL, 0) == -EINTR) {
  }
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
