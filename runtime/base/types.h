// Integer names and small strong types used everywhere in the run time.
#pragma once

#include <cstddef>
#include <cstdint>

namespace bigfoot::rt {

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using i32 = std::int32_t;
using i64 = std::int64_t;
using uptr = std::uintptr_t;
using usize = std::size_t;

// An address in the program's code: the return address of the call that brought us here.
using Pc = uptr;
// In a stack, behind a place in a function: it was called by itself, in calls that are not kept, and
// what follows is where the first of them came from.
inline constexpr Pc kOwnCalls = ~Pc{0};

// A thread as the user counts them: T0 is the main thread, numbers are never reused.
enum class ThreadId : u32 {};
inline constexpr ThreadId kMainThread{0};
inline constexpr ThreadId kNoThread{0xffffffffu};

// A place in the vector clocks. Reused by a later thread when that is precise (see clock/slots.h).
enum class Slot : u32 {};
inline constexpr u32 index(Slot s) { return static_cast<u32>(s); }

// A slot's own time. 64 bits: at one tick a nanosecond it lasts 584 years, so it never wraps.
using Clock = u64;

// A run of bytes of the program's memory.
struct ByteRange {
  uptr begin = 0;
  usize size = 0;
  constexpr uptr end() const { return begin + size; }
  constexpr bool contains(uptr a) const { return a - begin < size; }
};

}  // namespace bigfoot::rt
