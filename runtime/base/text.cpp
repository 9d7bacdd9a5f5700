#include "runtime/base/text.h"

#include "runtime/base/check.h"

namespace bigfoot::rt {
namespace {

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

int digit_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return 99;
}

bool parse_number(Text text, unsigned base, u64& value) {
  if (text.empty()) return false;
  u64 v = 0;
  for (usize i = 0; i < text.size; ++i) {
    const auto digit = static_cast<unsigned>(digit_value(text[i]));
    if (digit >= base) return false;
    if (__builtin_mul_overflow(v, u64{base}, &v) || __builtin_add_overflow(v, u64{digit}, &v))
      return false;
  }
  value = v;
  return true;
}

}  // namespace

bool operator==(Text a, Text b) {
  return a.size == b.size && equal(a.data, b.data, a.size);
}

bool Text::contains(Text part) const {
  for (usize i = 0; i + part.size <= size; ++i)
    if (equal(data + i, part.data, part.size)) return true;
  return false;
}

Text Text::basename() const {
  usize start = size;
  while (start > 0 && data[start - 1] != '/') --start;
  return drop_front(start);
}

Text Text::trimmed() const {
  Text t = *this;
  while (!t.empty() && is_blank(t[0])) t = t.drop_front(1);
  while (!t.empty() && is_blank(t[t.size - 1])) --t.size;
  return t;
}

u64 hash_of(Text text, u64 seed) {
  u64 h = seed;
  for (usize i = 0; i < text.size; ++i) h = (h ^ static_cast<u8>(text[i])) * 0x100000001b3ull;
  return h;
}

bool parse_decimal(Text text, u64& value) {
  return parse_number(text, 10, value);
}

bool parse_hex(Text text, u64& value) {
  return parse_number(text.starts_with("0x") ? text.drop_front(2) : text, 16, value);
}

void* Keeper::allocate(usize bytes, usize align) {
  constexpr usize kBlockBytes = usize{256} << 10;
  total_ += bytes;
  uptr at = (next_ + align - 1) & ~(align - 1);
  if (next_ == 0 || at + bytes > end_) {
    const usize block = bytes > kBlockBytes ? bytes : kBlockBytes;
    at = reinterpret_cast<uptr>(sys::map_memory(block));
    if (at == 0) die("cannot allocate memory for reports", "out of memory");
    end_ = at + block;
  }
  next_ = at + bytes;
  return reinterpret_cast<void*>(at);
}

Text Keeper::copy(Text text) {
  char* to = static_cast<char*>(allocate(text.size + 1, 1));
  copy_bytes(to, text.data, text.size);
  to[text.size] = 0;
  return {to, text.size};
}

char* TextBuffer::room(usize n) {
  const usize needed = size_ + n + 1;
  if (needed > capacity_) {
    usize capacity = capacity_ == 0 ? usize{64} << 10 : capacity_;
    while (capacity < needed) capacity *= 2;
    auto* bigger = static_cast<char*>(sys::map_memory(capacity));
    if (bigger == nullptr) {
      truncated_ = true;
      return nullptr;
    }
    if (data_ != nullptr) {
      copy_bytes(bigger, data_, size_);
      sys::unmap_memory(data_, capacity_);
    }
    data_ = bigger;
    capacity_ = capacity;
  }
  return data_ + size_;
}

TextBuffer& TextBuffer::add(Text text) {
  if (char* to = room(text.size)) {
    copy_bytes(to, text.data, text.size);
    size_ += text.size;
  }
  return *this;
}

TextBuffer& TextBuffer::add_decimal(u64 v) {
  char digits[20];
  usize at = sizeof digits;
  do {
    digits[--at] = static_cast<char>('0' + v % 10);
    v /= 10;
  } while (v != 0);
  return add({digits + at, sizeof digits - at});
}

TextBuffer& TextBuffer::add_hex(u64 v) {
  char digits[16];
  usize at = sizeof digits;
  do {
    digits[--at] = "0123456789abcdef"[v % 16];
    v /= 16;
  } while (v != 0);
  return add("0x").add({digits + at, sizeof digits - at});
}

const char* TextBuffer::c_str() {
  if (room(0) == nullptr) return "";
  data_[size_] = 0;
  return data_;
}

void TextBuffer::release() {
  if (data_ != nullptr) sys::unmap_memory(data_, capacity_);
  data_ = nullptr;
  size_ = capacity_ = 0;
}

bool read_file(const char* path, TextBuffer& to) {
  const sys::Fd fd = sys::open_for_read(path);
  if (fd == sys::kNoFd) return false;
  constexpr usize kChunk = usize{32} << 10;
  i64 got = 0;
  while (char* at = to.room(kChunk)) {
    got = sys::read_some(fd, at, kChunk);
    if (got <= 0) break;
    to.added(static_cast<usize>(got));
  }
  sys::close(fd);
  return got == 0 && !to.truncated();
}

}  // namespace bigfoot::rt
