// Text without the C library: a fixed buffer that is appended to and written in one system call.
//
// The run time may be inside the program's malloc, in a signal handler or in a process that is
// going down; printf is out of the question in all three.
#pragma once

#include "runtime/base/string.h"
#include "runtime/base/types.h"
#include "runtime/sys/sys.h"

namespace bigfoot::rt {

// Appending past the end is remembered (truncated()) and otherwise ignored.
template <usize N>
class LineBuffer {
 public:
  LineBuffer& add(const char* s) { return add(s, length(s)); }
  LineBuffer& add(const char* s, usize n) {
    for (usize i = 0; i < n; ++i) put(s[i]);
    return *this;
  }
  LineBuffer& add_char(char c) {
    put(c);
    return *this;
  }
  LineBuffer& add_decimal(u64 v) { return add_number(v, 10); }
  LineBuffer& add_hex(u64 v) {
    add("0x");
    return add_number(v, 16);
  }
  const char* data() const { return text_; }
  usize size() const { return size_; }
  bool truncated() const { return truncated_; }
  void clear() {
    size_ = 0;
    truncated_ = false;
  }
  const char* c_str() {
    text_[size_] = 0;
    return text_;
  }
  // False on any error, e.g. a full disk.
  bool write_to(sys::Fd fd) const { return sys::write_all(fd, text_, size_); }

 private:
  void put(char c) {
    if (size_ < N)
      text_[size_++] = c;
    else
      truncated_ = true;
  }
  LineBuffer& add_number(u64 v, unsigned base) {
    char digits[24];
    unsigned n = 0;
    do {
      digits[n++] = "0123456789abcdef"[v % base];
      v /= base;
    } while (v != 0);
    while (n > 0) put(digits[--n]);
    return *this;
  }
  char text_[N + 1];
  usize size_ = 0;
  bool truncated_ = false;
};

}  // namespace bigfoot::rt
