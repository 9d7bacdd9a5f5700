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
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <time.h>

#include "runtime/base/atomic.h"
#include "runtime/base/string.h"
#include "runtime/sys/linux_call.h"
#include "runtime/sys/sys.h"

extern "C" char** environ;

namespace bigfoot::rt::sys {
namespace {

usize round_to_pages(usize n) { return (n + kPageBytes - 1) & ~(kPageBytes - 1); }

void* map(usize bytes, int protection) {
  i64 r = call(SYS_mmap, 0, round_to_pages(bytes), protection,
               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return failed(r) ? nullptr : reinterpret_cast<void*>(r);
}

Fd open_with(const char* path, int flags) {
  i64 r = call(SYS_openat, AT_FDCWD, path, flags | O_CLOEXEC, 0644);
  return failed(r) ? kNoFd : Fd{static_cast<int>(r)};
}

bool swap_is_in_use() {
  struct sysinfo info = {};
  return call(SYS_sysinfo, &info) != 0 || info.totalswap != info.freeswap;
}

// mincore() says of a page that was swapped out that it is not there. /proc/self/pagemap knows the
// difference: a word for each page, whose two upper bits are "present" and "swapped".
void add_swapped_pages(void* p, usize count, u8* out) {
  constexpr usize kBatch = 256;
  u64 entries[kBatch];
  const i64 fd = call(SYS_openat, AT_FDCWD, "/proc/self/pagemap", O_RDONLY | O_CLOEXEC, 0);
  for (usize at = 0; at < count; at += kBatch) {
    const usize n = count - at < kBatch ? count - at : kBatch;
    const u64 offset = (reinterpret_cast<uptr>(p) / kPageBytes + at) * sizeof(u64);
    const i64 got = fd < 0 ? fd : call(SYS_pread64, fd, entries, n * sizeof(u64), offset);
    const bool told = got == static_cast<i64>(n * sizeof(u64));
    for (usize i = 0; i < n; ++i)
      if (!told || entries[i] >> 62 != 0) out[at + i] = 1;
  }
  if (fd >= 0) call(SYS_close, fd);
}

}  // namespace

void* map_memory(usize bytes) { return map(bytes, PROT_READ | PROT_WRITE); }
void* map_zero_pages(usize bytes) { return map(bytes, PROT_READ); }
void unmap_memory(void* p, usize bytes) { call(SYS_munmap, p, round_to_pages(bytes)); }
void discard_pages(void* p, usize bytes) { call(SYS_madvise, p, bytes, MADV_DONTNEED); }
// Linux 5.14; older kernels refuse, and the pages come one by one as they are touched.
void populate_pages(void* p, usize bytes) { call(SYS_madvise, p, bytes, MADV_POPULATE_WRITE); }
void resident_pages(void* p, usize count, u8* out) {
  if (call(SYS_mincore, p, count * kPageBytes, out) != 0) {
    for (usize i = 0; i < count; ++i) out[i] = 1;
    return;
  }
  if (swap_is_in_use()) add_swapped_pages(p, count, out);
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
void sleep_microseconds(u32 n) {
  const timespec t = {n / 1000000, static_cast<long>(n % 1000000) * 1000};
  call(SYS_nanosleep, &t, 0);
}
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
namespace {

// The value if `entry` is "name=value".
const char* value_of(const char* entry, const char* name) {
  const usize n = length(name);
  return starts_with(entry, name) && entry[n] == '=' ? entry + n + 1 : nullptr;
}

// As the process was started with it: entries one behind the other, an empty one at the end.
const char* initial_environment() {
  constexpr usize kLargest = usize{16} << 20;  // more than the kernel accepts; only what is used counts
  static char* text = nullptr;
  if (text != nullptr) return text;
  text = static_cast<char*>(map_memory(kLargest));
  const Fd fd = open_for_read("/proc/self/environ");
  usize size = 0;
  if (text == nullptr || fd == kNoFd) return "";
  for (i64 n; (n = read_some(fd, text + size, kLargest - 2 - size)) > 0;) size += static_cast<usize>(n);
  close(fd);
  return text;
}

}  // namespace

const char* environment(const char* name) {
  if (environ == nullptr) {
    // The C library sets it only after the functions of .preinit_array, where we start.
    for (const char* e = initial_environment(); *e != 0; e += length(e) + 1)
      if (const char* value = value_of(e, name)) return value;
    return nullptr;
  }
  for (char** e = environ; *e != nullptr; ++e)
    if (const char* value = value_of(*e, name)) return value;
  return nullptr;
}
usize executable_path(char* to, usize capacity) {
  i64 r = call(SYS_readlink, "/proc/self/exe", to, capacity - 1);
  if (failed(r)) return 0;
  to[r] = 0;
  return static_cast<usize>(r);
}

usize current_folder(char* to, usize capacity) {
  i64 r = call(SYS_getcwd, to, capacity);  // counts the zero behind it
  return failed(r) || r == 0 ? 0 : static_cast<usize>(r) - 1;
}

void futex_wait(u32* word_, u32 expected) {
  call(SYS_futex, word_, FUTEX_WAIT_PRIVATE, expected, 0, 0, 0);
}
void futex_wait(u32* word_, u32 expected, u64 nanoseconds) {
  const timespec t = {static_cast<long>(nanoseconds / 1'000'000'000),
                      static_cast<long>(nanoseconds % 1'000'000'000)};
  call(SYS_futex, word_, FUTEX_WAIT_PRIVATE, expected, &t, 0, 0);
}
void futex_wake(u32* word_, u32 count) { call(SYS_futex, word_, FUTEX_WAKE_PRIVATE, count, 0, 0, 0); }

bool barrier_all_threads() {
  // Refused until the process has registered, and perhaps again in the child of a fork.
  if (call(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) == 0) return true;
  return call(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0 &&
         call(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) == 0;
}

}  // namespace bigfoot::rt::sys
