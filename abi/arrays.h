// Globals that are arrays, as a compiled module tells the run time of them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace bigfoot::abi {

// The run time has shadows for arrays of at least so many bytes, and elements.
inline constexpr std::size_t kMinArrayBytes = 1024;
inline constexpr std::size_t kMinArrayElements = 16;

// When a module's arrays get shadows of their own.
enum UseArrays : int {
  kUseIfAsked = 0,  // only if the options say so
  kUseAlways = 1,   // whatever is accessed first
  kUseForLargeChecks =
      2,  // those whose first check is a large range; the others stay in the planes
};

struct GlobalArray {
  void* begin;
  std::uint64_t bytes;
};
static_assert(sizeof(GlobalArray) == 16 && offsetof(GlobalArray, bytes) == 8);

}  // namespace bigfoot::abi
