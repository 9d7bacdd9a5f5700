// One access as both tools see it: what every row of the table is made of.
//
// A loop goes over blocks of memory and, in each, over places at regular distances. What an access
// costs is only visible if it stays one access, checked where it stands. So
//
//  - a block's address comes from assembly, of which no optimiser knows anything;
//  - places in a block come from a table of constants in another file: neither tool checks reads of
//    constants, and no placement of checks sees a range that could be checked at once;
//  - loops are not vectorised, unrolled or interleaved.
//
// BigFoot's plugin inlines its test in loops that call nothing, and calls the whole check
// elsewhere. Assembly counts as a call, so a loop with an empty piece of it has called checks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

namespace parity {

using Bytes16 [[gnu::vector_size(16)]] = std::uint64_t;
using Bytes32 [[gnu::vector_size(32)]] = std::uint64_t;

// 0, 1, 2, ...; of positions.cpp. No class: only so do compilers know that nobody ever writes it.
extern "C" const std::uint32_t parity_position[8192];

// A pointer that is read where no tool looks.
inline char* at(char* const* list) {
  char* found;
  asm("movq %1, %0" : "=r"(found) : "m"(*list));
  return found;
}

template <class T>
void keep(const T& value) {
  if constexpr (sizeof(T) > 8)
    asm volatile("" ::"x"(value));
  else
    asm volatile("" ::"r"(value));
}
template <class T>
void be_opaque(T& value) {
  if constexpr (sizeof(T) > 8)
    asm volatile("" : "+x"(value));
  else
    asm volatile("" : "+r"(value));
}

enum class Kind { kRead, kWrite, kUpdate };

// Aligned as its type or not at all; structures, because an alias loses that as an argument.
template <class T>
struct [[gnu::may_alias]] Aligned {
  T value;
};
template <class T>
struct [[gnu::may_alias, gnu::packed]] Unaligned {
  T value;
};

template <Kind kKind, class Place, class T>
[[gnu::always_inline]] inline void access(char* p, T& sum) {
  auto* place = reinterpret_cast<Place*>(p);
  if constexpr (kKind == Kind::kRead) sum ^= place->value;
  if constexpr (kKind == Kind::kWrite) place->value = sum;
  if constexpr (kKind == Kind::kUpdate) place->value ^= sum;
}

// An access of sizeof(T) bytes, `offset` bytes into each `step`.
template <class T, Kind kKind, unsigned offset = 0, unsigned step = sizeof(T), bool called = false>
struct One {
  static constexpr unsigned kStep = step, kSpan = offset + sizeof(T);
  using Sum = T;
  template <Kind kOther>
  using As = One<T, kOther, offset, step, called>;

  [[gnu::always_inline]] static void once(char* p, T& sum) {
    if constexpr (called) asm volatile("");
    using Place = std::conditional_t<offset % sizeof(T) == 0, Aligned<T>, Unaligned<T>>;
    access<kKind, Place>(p + offset, sum);
  }
};

// Both ints of a word, each in a line of its own.
template <Kind kKind>
struct TwoInts {
  static constexpr unsigned kStep = 8, kSpan = 8;
  using Sum = std::uint32_t;
  template <Kind kOther>
  using As = TwoInts<kOther>;

  [[gnu::always_inline]] static void once(char* p, Sum& sum) {
    access<kKind, Aligned<std::uint32_t>>(p, sum);
    access<kKind, Aligned<std::uint32_t>>(p + 4, sum);
  }
};

// A loop over the first word of every `stride` bytes: a range if that is all of them. BigFoot
// checks it at once, ThreadSanitizer's pass puts a call at every element.
template <Kind kKind, unsigned bytes, unsigned stride = 8>
struct Range {
  static constexpr unsigned kStep = bytes, kSpan = bytes;
  using Sum = std::uint64_t;
  template <Kind kOther>
  using As = Range<kOther, bytes, stride>;

  [[gnu::always_inline]] static void once(char* p, Sum& sum) {
    std::size_t count = bytes / stride;
    be_opaque(count);
#pragma clang loop vectorize(disable) interleave(disable) unroll(disable)
    for (std::size_t i = 0; i < count; ++i)
      access<kKind, Aligned<std::uint64_t>>(p + i * stride, sum);
  }
};

// `steps` accesses, `each` of them in a block.
using Pass = void (*)(char* const* blocks, std::size_t each, std::size_t steps);
// An access at each of `steps` addresses, each one call deeper than the one before. Which of two
// calls that is `path` decides, so that another path is other calling contexts. Two functions call
// each other: BigFoot takes all calls that a function makes of itself for one context.
using Descent = void (*)(char* const* addresses, std::size_t steps, std::uint64_t path);

template <class A>
[[gnu::noinline]] void pass(char* const* blocks, std::size_t each, std::size_t steps) {
  typename A::Sum sum{};
  be_opaque(sum);
  for (; steps != 0; ++blocks) {
    char* block = at(blocks);
    const std::size_t here = steps < each ? steps : each;
    steps -= here;
#pragma clang loop vectorize(disable) interleave(disable) unroll(disable)
    for (std::size_t i = 0; i < here; ++i)
      A::once(block + std::size_t{parity_position[i]} * A::kStep, sum);
  }
  keep(sum);
}

enum class Turn { kOwn, kOdd, kEven };
constexpr Turn next(Turn turn) {
  if (turn == Turn::kOwn) return turn;
  return turn == Turn::kOdd ? Turn::kEven : Turn::kOdd;
}

template <class A, Turn kTurn>
[[gnu::noinline, clang::not_tail_called]] void descend(char* const* addresses, std::size_t steps,
                                                       std::uint64_t path) {
  typename A::Sum sum{};
  be_opaque(sum);
  A::once(at(addresses), sum);
  keep(sum);
  // Two functions with the same code were one.
  if constexpr (kTurn == Turn::kEven) asm volatile("# the other one");
  if (steps == 1) return;
  path = path * 0x9E3779B97F4A7C15u + 1;
  if (path >> 63 != 0) {
    [[clang::nomerge]] descend<A, next(kTurn)>(addresses + 1, steps - 1, path);
  } else {
    [[clang::nomerge]] descend<A, next(kTurn)>(addresses + 1, steps - 1, path);
  }
  keep(steps);
}

struct Row {
  std::string name;
  Pass access, write, read;        // the row's own, and others of the same bytes
  Descent descend, descend_alone;  // by two functions, by one
  unsigned step, span;
  bool unchecked_by_tsan = false;
};
using Rows = std::vector<Row>;

template <class A>
void add(Rows& rows, std::string name) {
  rows.push_back({std::move(name), pass<A>, pass<typename A::template As<Kind::kWrite>>,
                  pass<typename A::template As<Kind::kRead>>, descend<A, Turn::kOdd>,
                  descend<A, Turn::kOwn>, A::kStep, A::kSpan});
}

inline std::string name_of(Kind kind, const std::string& rest) {
  const char* names[] = {"read", "write", "update"};
  return names[static_cast<int>(kind)] + rest;
}

// Sizes that need an instruction set of their own, in a file that is compiled for it.
void add_wide_rows(Rows& rows);

}  // namespace parity
