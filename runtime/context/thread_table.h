// What is kept of every thread for reports, in the order of their creation.
//
// A thread's number is never given to another one. But a program may make threads for as long as it
// runs, so when mentions are collected (reclaim.h) the records of those that have ended and that no
// report can name any more are given up, by whole pages.
#pragma once

#include "runtime/context/thread.h"

namespace bigfoot::rt {

class ThreadTable {
 public:
  // Threads over the life of the process; 64 M records of address space.
  static constexpr usize kCapacity = usize{1} << 26;

  void initialise() {
    records_.reserve();
    pages_.reserve();
  }
  // Of a thread whose record was given up: blank.
  ThreadRecord& operator[](usize i) { return records_[i]; }
  const ThreadRecord& operator[](usize i) const { return records_[i]; }

  // REQUIRES for both: no other thread is inside the run time.
  void keep(ThreadId id) { pages_[static_cast<u32>(id) / kPerPage].kept = true; }
  // Of the first `count` threads gives up those that were not kept and that have ended, so that
  // nobody waits for them.
  void forget_others(u32 count);

 private:
  static constexpr u32 kPerPage = sys::kPageBytes / sizeof(ThreadRecord);
  static_assert(sys::kPageBytes % sizeof(ThreadRecord) == 0);
  struct Page {
    bool kept;
    bool given_up;
  };
  bool all_ended(u32 page) const;

  ReservedTable<ThreadRecord, kCapacity> records_;
  ReservedTable<Page, kCapacity / kPerPage> pages_;
};

}  // namespace bigfoot::rt
