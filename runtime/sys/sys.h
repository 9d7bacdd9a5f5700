// The operating system as the run time sees it: the whole porting contract in one header.
//
// Nothing here goes through a function the program could have replaced, and nothing sets errno.
// Failures are values; who can go on without the thing decides what to do.
#pragma once

#include "runtime/base/types.h"

namespace bigfoot::rt::sys {

enum class Fd : int {};
inline constexpr Fd kStdout{1};
inline constexpr Fd kStderr{2};
inline constexpr Fd kNoFd{-1};

// --- memory: addresses are page-aligned, sizes are rounded up to pages -----------------------------
inline constexpr usize kPageBytes = 4096;
// Zero-filled memory that costs nothing until touched; null if the address space or limit is used up.
void* map_memory(usize bytes);
// The same, readable only (every page is the shared zero page).
void* map_zero_pages(usize bytes);
void unmap_memory(void* p, usize bytes);
// Gives the pages back; the range stays mapped and reads as zero.
void discard_pages(void* p, usize bytes);
// Makes the pages present and writable now, in one step; their contents stay. A wish: it may fail.
void populate_pages(void* p, usize bytes);
// For each of `count` pages from `p` on: out[i] & 1 says whether it holds anything. Pages that cannot
// be asked about count as holding something.
void resident_pages(void* p, usize count, u8* out);

// --- files: raw results, a negative value is -errno ------------------------------------------------
Fd open_for_append(const char* path);  // creates with mode 0644
i64 try_open_for_append(const char* path);
const char* error_text(i64 error);  // "no space left on device"
Fd open_for_read(const char* path);
i64 read_some(Fd fd, void* to, usize n);
i64 read_at(Fd fd, void* to, usize n, u64 offset);
i64 write_some(Fd fd, const void* from, usize n);  // one system call; may write less
// Waits until there is something to read (or the other end is closed); false after `milliseconds`.
bool wait_readable(Fd fd, u32 milliseconds);
u64 file_size(Fd fd);  // 0 if it has none
bool truncate(Fd fd, u64 size);
bool is_terminal(Fd fd);
bool write_all(Fd fd, const void* from, usize n);  // false on any error, e.g. a full disk
void close(Fd fd);
bool exists(const char* path);
bool executable(const char* path);
bool writable(const char* path);  // file or folder

// --- process ---------------------------------------------------------------------------------------
u32 process_id();
u32 thread_id();
// Holds back every signal to this thread that is not caused by its own instruction; what was held back
// before is returned, to be given to restore_signals.
u64 block_signals();
void restore_signals(u64 blocked_before);
[[noreturn]] void abort_process();  // SIGABRT, with the program's handler if it has one
[[noreturn]] void exit_process(int code);  // at once, no handlers
void yield_cpu();
void sleep_microseconds(u32 n);  // or until a signal comes
u64 monotonic_nanoseconds();
u64 wall_clock_milliseconds();  // since 1970
const char* environment(const char* name);  // null if unset
usize executable_path(char* to, usize capacity);  // returns length, 0 on failure
usize current_folder(char* to, usize capacity);   // the same

// A child process with its standard input and output connected to us. Returns false if it cannot be
// started (a path that cannot be executed shows as a child that ends at once). The program does not
// notice it: no fork handler or signal handler runs in the child, its end sends no SIGCHLD and is not
// seen by wait() for any child, it inherits none of the program's files beyond the first three, and
// writing to a child that has ended fails without SIGPIPE. It ends when its input does.
struct ChildHelper;
struct Child {
  ChildHelper* helper = nullptr;
  Fd to = kNoFd;    // we write
  Fd from = kNoFd;  // we read
};
bool start_child(const char* path, const char* const* argv, Child& child);
bool send_to_child(const Child& child, const void* from, usize n);  // false if it has ended
void end_child(Child& child);  // killed if it still runs
// In the child of a fork: the process belongs to the parent, only our copies of the files go.
void forget_child(Child& child);

// --- waiting ---------------------------------------------------------------------------------------
void futex_wait(u32* word, u32 expected);
void futex_wait(u32* word, u32 expected, u64 nanoseconds);  // no longer than that
void futex_wake(u32* word, u32 count);
// Makes every running thread of the process execute a full memory barrier. False if unsupported.
bool barrier_all_threads();

}  // namespace bigfoot::rt::sys
