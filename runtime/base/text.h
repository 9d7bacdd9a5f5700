// Text of any length: a view, and a buffer that grows.
//
// LineBuffer (base/print.h) is for one short line on the stack; this is for what has no useful
// bound: C++ names, whole reports, files. The buffer's memory is a mapping of its own, so neither
// the program's heap nor its stack is touched.
#pragma once

#include "runtime/base/string.h"
#include "runtime/base/types.h"
#include "runtime/sys/sys.h"

namespace bigfoot::rt {

// A run of characters owned by somebody else; need not end with a zero.
struct Text {
  const char* data = "";
  usize size = 0;

  constexpr Text() = default;
  constexpr Text(const char* d, usize n) : data(d), size(n) {}
  // NOLINTNEXTLINE(google-explicit-constructor): literals are texts.
  Text(const char* s) : data(s == nullptr ? "" : s), size(s == nullptr ? 0 : length(s)) {}

  bool empty() const { return size == 0; }
  char operator[](usize i) const { return data[i]; }
  Text drop_front(usize n) const { return n >= size ? Text() : Text(data + n, size - n); }
  Text take_front(usize n) const { return n >= size ? *this : Text(data, n); }
  bool starts_with(Text prefix) const {
    return size >= prefix.size && equal(data, prefix.data, prefix.size);
  }
  bool ends_with(Text suffix) const {
    return size >= suffix.size && equal(data + size - suffix.size, suffix.data, suffix.size);
  }
  // Position of the first `c`, or `size`.
  usize find(char c) const {
    usize i = 0;
    while (i < size && data[i] != c) ++i;
    return i;
  }
  bool contains(Text part) const;
  // Calls `line` with each of the lines, which end in '\n' or at the end.
  template <class Line>
  void for_each_line(Line line) const {
    for (Text rest = *this; !rest.empty();) {
      const usize n = rest.find('\n');
      line(rest.take_front(n));
      rest = rest.drop_front(n + 1);
    }
  }
  // What follows the last '/'.
  Text basename() const;
  // Without blanks and line ends on either side.
  Text trimmed() const;
};
bool operator==(Text a, Text b);

// FNV-1a. `seed` chains several texts into one hash.
inline constexpr u64 kHashSeed = 0xcbf29ce484222325ull;
u64 hash_of(Text text, u64 seed = kHashSeed);

// Decimal digits only, no sign, no overflow; false otherwise (and `value` is unchanged).
bool parse_decimal(Text text, u64& value);
// With or without a leading 0x.
bool parse_hex(Text text, u64& value);

// Memory for things that are kept until the process ends, with one owner.
//
// arena_allocate() would do, but takes a lock: a report made by a signal handler may have
// interrupted its holder. Whoever owns a Keeper brings a lock of its own or needs none.
class Keeper {
 public:
  // Zeroed. Ends the process if there is no memory.
  void* allocate(usize bytes, usize align = 8);
  template <class T>
  T* make(usize count = 1) {
    return static_cast<T*>(allocate(sizeof(T) * count, alignof(T)));
  }
  // A copy with a zero behind it.
  Text copy(Text text);
  usize bytes() const { return total_; }

 private:
  uptr next_ = 0;
  uptr end_ = 0;
  usize total_ = 0;
};

class TextBuffer {
 public:
  TextBuffer() = default;
  TextBuffer(const TextBuffer&) = delete;
  TextBuffer& operator=(const TextBuffer&) = delete;
  ~TextBuffer() { release(); }

  TextBuffer& add(Text text);
  TextBuffer& add_char(char c) { return add(Text(&c, 1)); }
  TextBuffer& add_decimal(u64 v);
  TextBuffer& add_hex(u64 v);  // 0x1f
  // Room for `n` more characters, to be filled by the caller and confirmed by added(); null if
  // there is no memory.
  char* room(usize n);
  void added(usize n) { size_ += n; }

  Text text() const { return {data_ == nullptr ? "" : data_, size_}; }
  const char* data() const { return text().data; }
  usize size() const { return size_; }
  // Ends with a zero; valid until the next change.
  const char* c_str();
  // There was no memory for some of what was added.
  bool truncated() const { return truncated_; }
  void clear() {
    size_ = 0;
    truncated_ = false;
  }
  void remove_suffix(usize n) { size_ -= n < size_ ? n : size_; }
  // Gives the memory back.
  void release();

 private:
  char* data_ = nullptr;
  usize size_ = 0;
  usize capacity_ = 0;
  bool truncated_ = false;
};

// The whole file appended to `to`; false if it cannot be opened or read.
bool read_file(const char* path, TextBuffer& to);

}  // namespace bigfoot::rt
