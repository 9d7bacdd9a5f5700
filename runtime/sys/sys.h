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

// --- files: raw results, a negative value is -errno ------------------------------------------------
Fd open_for_append(const char* path);  // creates with mode 0644
Fd open_for_read(const char* path);
i64 read_some(Fd fd, void* to, usize n);
bool write_all(Fd fd, const void* from, usize n);  // false on any error, e.g. a full disk
void close(Fd fd);
bool exists(const char* path);
bool executable(const char* path);

// --- process ---------------------------------------------------------------------------------------
u32 process_id();
u32 thread_id();
[[noreturn]] void exit_process(int code);  // at once, no handlers
void yield_cpu();
u64 monotonic_nanoseconds();
const char* environment(const char* name);  // null if unset
usize executable_path(char* to, usize capacity);  // returns length, 0 on failure

// A child process with its standard input and output connected to us. Returns false if it cannot be
// started. Implemented with a raw clone, so that no fork handler of the program runs.
struct Child {
  u32 pid = 0;
  Fd to = kNoFd;    // we write
  Fd from = kNoFd;  // we read
};
bool start_child(const char* path, const char* const* argv, Child& child);
void end_child(Child& child);

// --- waiting ---------------------------------------------------------------------------------------
void futex_wait(u32* word, u32 expected);
void futex_wake(u32* word, u32 count);
// Makes every running thread of the process execute a full memory barrier. False if unsupported.
bool barrier_all_threads();

}  // namespace bigfoot::rt::sys
