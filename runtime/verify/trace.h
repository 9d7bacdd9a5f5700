// Judges what one thread does: is every access covered by a check, and every check legitimate?
//
// These are the definitions of the BigFoot paper, over the events of one thread:
//
//   covered     an access is covered by a check of its bytes earlier with no release in between, or
//               later with no acquire in between. A write needs a write's check, a read any.
//   legitimate  a check is legitimate if each of its bytes is accessed earlier with no release in
//               between, or later with no acquire in between. A write's check needs a write, a
//               read's check any access.
//
// So what has no counterpart behind it waits for one until the next acquire, accesses and checks
// alike. What still waits then is a violation, and so is what waits for memory that ends.
#pragma once

#include "runtime/verify/line_table.h"

namespace bigfoot::rt::verify {

// Where an access or a check stands in the program; the caller's business.
enum class Site : u32 {};

enum class Moment : u8 { kAcquire, kMemoryEnds, kThreadEnds };

struct Violation {
  bool is_check;  // a check nothing justifies; otherwise an access that nothing covers
  bool writes;
  Site site;
  uptr address;  // of the first such byte of the line
  u32 bytes;     // how many of that line
  Moment moment;
};

// Told at once, from within the call that found out.
struct Judge {
  void* context;
  void (*violation)(void* context, const Violation& v);
};

// Waits for its counterpart, or did: the line knows which of the bytes still do.
struct Waiting {
  uptr line;
  ByteMask bytes;
  Site site;
  bool writes;
};

// Zeroed storage is an empty list.
class WaitingList {
 public:
  void push(const Waiting& w);
  void clear() { size_ = 0; }
  usize size() const { return size_; }
  const Waiting& operator[](usize i) const { return items_[i]; }
  void release_storage();

 private:
  Waiting* items_;
  usize size_;
  usize capacity_;
};

// Zeroed storage is a valid start.
class Trace {
 public:
  void access(ByteRange bytes, bool writes, Site site);
  void check(ByteRange bytes, bool writes, Site site);
  void acquired(const Judge& judge);
  void releasing();
  // The bytes become other memory: nothing done to them before counts for what is done afterwards.
  void memory_ends(ByteRange bytes, const Judge& judge);
  void thread_ends(const Judge& judge);
  void release_storage();

  u64 accesses() const { return accesses_; }
  u64 checks() const { return checks_; }
  void count_check() { ++checks_; }  // one check may be told as several ranges

 private:
  struct Side;
  Side accesses_side();
  Side checks_side();
  void judge_waiting(Side side, ByteRange bytes, Moment moment, const Judge& judge);
  void wait(WaitingList& list, u64& waiting, ByteMask& on_line, const Waiting& w);
  static void settle(u64& waiting, ByteMask& on_line, ByteMask bytes);

  u64 span_;
  LineTable lines_;
  WaitingList waiting_accesses_;
  WaitingList waiting_checks_;
  u64 bytes_waiting_for_check_;  // how many bytes wait on all lines, by kind
  u64 bytes_waiting_for_access_;
  u64 accesses_;
  u64 checks_;
};

}  // namespace bigfoot::rt::verify
