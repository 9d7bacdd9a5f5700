// What one thread did to each byte since its last release, 64 bytes at a time.
//
// A hash table of lines. Everything a line says of the past holds for one span, the time between
// two releases of the thread: `span` names it, and a line of an older span has nothing to say. So a
// release costs nothing, and a table that has grown large is emptied of old lines there.
#pragma once

#include "runtime/base/types.h"

namespace bigfoot::rt::verify {

inline constexpr usize kLineBytes = 64;

// One bit for each byte of a line.
using ByteMask = u64;

// For reads and for writes. What is done for a write is done for a read as well, where a check or
// an access of the past is concerned; what waits is kept for its own kind only.
struct ByKind {
  ByteMask read;
  ByteMask write;
  ByteMask& of(bool writes) { return writes ? write : read; }
};

struct Line {
  uptr begin;  // address of the first byte; kNoLine: the entry is free
  u64 span;
  ByKind checked;           // of this span: a check has covered the byte
  ByKind accessed;          // of this span: the byte has been accessed
  ByKind waiting_accesses;  // accessed, and no check has covered it yet
  ByKind waiting_checks;    // checked, and no access has justified it yet
};

// Zeroed storage is an empty table.
class LineTable {
 public:
  // The line that begins at `begin`, made if there is none, brought up to `span`. Valid until the
  // next call.
  Line& get(uptr begin, u64 span);
  // Null if there is none.
  Line* find(uptr begin);
  usize size() const { return size_; }
  // Calls f(Line&) for every line.
  template <class F>
  void for_each(F f) {
    for (usize i = 0; i < capacity_; ++i)
      if (entries_[i].begin != kNoLine) f(entries_[i]);
  }
  // Forgets the lines on which nothing waits.
  void keep_waiting();
  void release_storage();

 private:
  // Zero: nothing of a program is ever in the first page.
  static constexpr uptr kNoLine = 0;
  Line& slot(uptr begin);
  void resize(usize capacity);

  Line* entries_;
  usize capacity_;
  usize size_;
};

}  // namespace bigfoot::rt::verify
