// A value of a running program in one word: an integer, a reference to an object, a thread.
//
//   int      | 62 bits, sign-extended | 00 |
//   object   | address                | 01 |     objects are aligned to 16 bytes; null is the
//   integer 0 thread   | number                 | 10 |
#pragma once

#include <cstdint>
#include <optional>

namespace bigfoot::vm {

struct Object;

class Value {
 public:
  constexpr Value() = default;
  static constexpr Value from_word(std::uint64_t word) { return Value(word); }
  // Nothing if the number needs more than 62 bits.
  static constexpr std::optional<Value> integer(std::int64_t n) {
    const std::uint64_t word = static_cast<std::uint64_t>(n) << kTagBits;
    if (static_cast<std::int64_t>(word) >> kTagBits != n) return std::nullopt;
    return Value(word);
  }
  static constexpr Value boolean(bool b) { return Value(std::uint64_t{b} << kTagBits); }
  static Value object(Object* o) { return Value(reinterpret_cast<std::uint64_t>(o) | kObject); }
  static constexpr Value thread(std::uint32_t t) {
    return Value(std::uint64_t{t} << kTagBits | kThread);
  }

  constexpr std::uint64_t word() const { return word_; }
  constexpr bool is_integer() const { return (word_ & kTagMask) == 0; }
  constexpr bool is_object() const { return (word_ & kTagMask) == kObject; }
  constexpr bool is_thread() const { return (word_ & kTagMask) == kThread; }
  constexpr bool truth() const { return word_ != 0; }
  // REQUIRES of each: it is one.
  constexpr std::int64_t number() const { return static_cast<std::int64_t>(word_) >> kTagBits; }
  Object* target() const { return reinterpret_cast<Object*>(word_ - kObject); }
  constexpr std::uint32_t thread_number() const {
    return static_cast<std::uint32_t>(word_ >> kTagBits);
  }
  constexpr bool operator==(const Value&) const = default;

 private:
  static constexpr unsigned kTagBits = 2;
  static constexpr std::uint64_t kTagMask = 3, kObject = 1, kThread = 2;
  constexpr explicit Value(std::uint64_t word) : word_(word) {}
  std::uint64_t word_ = 0;
};

// What the program's object is in memory. Fields that the collector or a lock changes while others
// look are accessed by atomic operations only.
struct alignas(16) Object {
  std::uint64_t serial;  // which object of the program this is; never used again
  std::uint32_t units;   // fields or elements
  std::uint32_t is_array;
  std::uint32_t owner;  // of its lock: thread + 1, 0 = free
  std::uint32_t marked;
  Object* forward;  // where it has moved; null while it is here

  static constexpr std::uint64_t bytes_for(std::uint32_t units) {
    return (sizeof(Object) + units * sizeof(std::uint64_t) + 15) & ~std::uint64_t{15};
  }
  std::uint64_t bytes() const { return bytes_for(units); }
  // The values, a word each, follow the object.
  std::uint64_t* words() { return reinterpret_cast<std::uint64_t*>(this + 1); }
  const std::uint64_t* words() const { return reinterpret_cast<const std::uint64_t*>(this + 1); }
  Value load(std::uint32_t unit) const {
    return Value::from_word(__atomic_load_n(&words()[unit], __ATOMIC_RELAXED));
  }
  void store(std::uint32_t unit, Value v) {
    __atomic_store_n(&words()[unit], v.word(), __ATOMIC_RELAXED);
  }
};

}  // namespace bigfoot::vm
