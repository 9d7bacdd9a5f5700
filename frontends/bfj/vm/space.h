// A stretch of address space that objects are put into one after the other.
#pragma once

#include <sys/mman.h>

#include <cstring>
#include <new>

#include "frontends/bfj/vm/value.h"

namespace bigfoot::vm {

class Space {
 public:
  explicit Space(std::uint64_t bytes) : bytes_((bytes + 4095) & ~std::uint64_t{4095}) {
    void* p = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) throw std::bad_alloc();
    begin_ = free_ = static_cast<char*>(p);
  }
  ~Space() { munmap(begin_, bytes_); }
  Space(const Space&) = delete;
  Space& operator=(const Space&) = delete;

  // Null if it is full. Contents are unspecified.
  Object* take(std::uint64_t bytes) {
    if (bytes > static_cast<std::uint64_t>(begin_ + bytes_ - free_)) return nullptr;
    auto* o = reinterpret_cast<Object*>(free_);
    free_ += bytes;
    return o;
  }
  void reset() { free_ = begin_; }

  std::uintptr_t begin() const { return reinterpret_cast<std::uintptr_t>(begin_); }
  std::uint64_t bytes() const { return bytes_; }
  std::uint64_t used() const { return static_cast<std::uint64_t>(free_ - begin_); }

 private:
  std::uint64_t bytes_;
  char* begin_;
  char* free_;
};

inline void initialise(Object* o, std::uint64_t serial, std::uint32_t units, bool is_array) {
  o->serial = serial;
  o->units = units;
  o->is_array = is_array;
  o->owner = o->marked = 0;
  o->forward = nullptr;
  std::memset(o->words(), 0, units * sizeof(std::uint64_t));
}

inline std::uintptr_t address_of(const void* p) {
  return reinterpret_cast<std::uintptr_t>(p);
}
inline Memory memory_of(const Object* o) {
  return {address_of(o), o->bytes()};
}
inline Memory words_of(const Object* o) {
  return {address_of(o->words()), o->units * sizeof(std::uint64_t)};
}

}  // namespace bigfoot::vm
