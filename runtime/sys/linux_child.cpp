// Child processes that the program under test does not notice.
//
// An ordinary child would send SIGCHLD when it ends and answer the program's wait(). Asking clone()
// for no exit signal hides a child from both, but only until it calls execve, which sets the signal
// back. So the real child has a parent of its own, a helper: a process without exit signal that
// shares our memory (nothing is copied, however large the program), keeps no files open, never
// calls execve and does nothing but wait for the child.
//
//   program --clone(no signal, shared memory)--> helper --clone, execve--> child
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "runtime/base/atomic.h"
#include "runtime/sys/linux_call.h"
#include "runtime/sys/sys.h"

extern "C" char** environ;

namespace bigfoot::rt::sys {

// One mapping: this, and behind it the stacks of the helper and of the child until its execve.
struct ChildHelper {
  u32 alive = 0;    // the helper's id; cleared by the kernel when it ends
  u32 started = 0;  // 1: the child has called execve, or there is none
  u32 child = 0;
  u32 helper = 0;
  const char* path = nullptr;
  const char* const* argv = nullptr;
  int in = -1;   // the child's end
  int out = -1;  // the child's end
};

namespace {

constexpr usize kStackBytes = usize{16} << 10;
constexpr usize kHelperBytes = kPageBytes + 2 * kStackBytes;

// Runs function(argument) in a new process on a stack of its own; it must not return.
i64 clone_on_stack(u64 flags, uptr stack_end, u32* child_id, void (*function)(ChildHelper*),
                   ChildHelper* argument) {
  i64 result;
  register u64 r10 asm("r10") = reinterpret_cast<u64>(child_id);
  register u64 r8 asm("r8") = reinterpret_cast<u64>(function);
  register u64 r9 asm("r9") = reinterpret_cast<u64>(argument);
  asm volatile(
      "syscall\n\t"
      "testq %%rax, %%rax\n\t"
      "jnz 1f\n\t"
      "xorl %%ebp, %%ebp\n\t"
      "movq %%r9, %%rdi\n\t"
      "callq *%%r8\n\t"
      "ud2\n"
      "1:"
      : "=a"(result)
      : "a"(SYS_clone), "D"(flags), "S"(stack_end), "d"(child_id), "r"(r10), "r"(r8), "r"(r9)
      : "rcx", "r11", "memory", "cc");
  return result;
}

uptr stack_end(ChildHelper* h, int which) {
  return reinterpret_cast<uptr>(h) + kPageBytes + static_cast<usize>(which + 1) * kStackBytes;
}

void close_files_from(u32 first) {
  if (call(SYS_close_range, first, ~u32{0}, 0) == 0) return;
  for (u32 fd = first; fd < 1024; ++fd) call(SYS_close, fd);
}

// The child, until it is another program.
void become(ChildHelper* h) {
  call(SYS_dup2, h->in, 0);
  call(SYS_dup2, h->out, 1);
  // A pipe of the program that stayed open here would never read as ended there.
  close_files_from(3);
  struct {
    u64 handler, flags, restorer, mask;
  } default_action = {};
  for (int s = 1; s <= kSignalCount; ++s)
    call(SYS_rt_sigaction, s, &default_action, 0, sizeof default_action.mask);
  set_signal_mask(0);
  call(SYS_execve, h->path, h->argv, environ);
  call(SYS_exit_group, 127);
}

// The helper. CLONE_VFORK: goes on when the child has called execve, so that nothing it needs of
// our memory has to stay.
void help(ChildHelper* h) {
  const i64 child =
      clone_on_stack(CLONE_VM | CLONE_VFORK | SIGCHLD, stack_end(h, 1), nullptr, become, h);
  close_files_from(0);
  store_release(&h->child, failed(child) ? u32{0} : static_cast<u32>(child));
  store_release(&h->started, u32{1});
  call(SYS_futex, &h->started, FUTEX_WAKE, 1, 0, 0, 0);
  while (!failed(child) && call(SYS_wait4, child, 0, __WALL, 0) == -EINTR) {
  }
  call(SYS_exit_group, 0);
}

// Out of the way: above 2, so that dup2 onto 0 and 1 never meets its own source in a program that
// has closed its standard files, and high, because programs that close "all" files reuse the low
// numbers.
void move_up(int& fd) {
  constexpr int kHigh = 400;
  i64 moved = call(SYS_fcntl, fd, F_DUPFD_CLOEXEC, kHigh);
  if (failed(moved)) moved = call(SYS_fcntl, fd, F_DUPFD_CLOEXEC, 3);
  if (failed(moved)) return;
  call(SYS_close, fd);
  fd = static_cast<int>(moved);
}

bool open_channels(int in[2], int out[2]) {
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
  return true;
}

// Not FUTEX_PRIVATE: the kernel's own wake at the helper's end is not.
void wait_while(u32* word, u32 value) {
  while (load_acquire(word) == value) call(SYS_futex, word, FUTEX_WAIT, value, 0, 0, 0);
}

}  // namespace

bool start_child(const char* path, const char* const* argv, Child& child) {
  int in[2], out[2];
  if (!open_channels(in, out)) return false;
  auto* h = static_cast<ChildHelper*>(map_memory(kHelperBytes));
  i64 helper = -ENOMEM;
  if (h != nullptr) {
    h->path = path;
    h->argv = argv;
    h->in = in[1];
    h->out = out[1];
    // No handler of the program may run in the helper or the child.
    const u64 mask = set_signal_mask(kAllSignals);
    helper = clone_on_stack(CLONE_VM | CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID, stack_end(h, 0),
                            &h->alive, help, h);
    set_signal_mask(mask);
  }
  call(SYS_close, in[1]);
  call(SYS_close, out[1]);
  if (failed(helper)) {
    call(SYS_close, in[0]);
    call(SYS_close, out[0]);
    if (h != nullptr) unmap_memory(h, kHelperBytes);
    return false;
  }
  h->helper = static_cast<u32>(helper);
  // `path` and `argv` are the caller's: they must last until execve.
  wait_while(&h->started, 0);
  child = {h, Fd{in[0]}, Fd{out[0]}};
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
  ChildHelper* h = child.helper;
  forget_child(child);
  const u32 helper = h->helper;
  // While the helper is alive it has not yet reaped the child, so the number is still the child's.
  if (load_acquire(&h->alive) == helper && h->child != 0) call(SYS_kill, h->child, SIGKILL);
  wait_while(&h->alive, helper);
  while (call(SYS_wait4, helper, 0, __WALL, 0) == -EINTR) {
  }
  unmap_memory(h, kHelperBytes);
}

}  // namespace bigfoot::rt::sys
