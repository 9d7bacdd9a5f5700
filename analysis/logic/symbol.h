// Names of the values the analyses reason about.
#pragma once

#include <cstddef>
#include <cstdint>

namespace bigfoot::logic {

// One SSA value of the function under analysis: an integer or a reference. References take part in
// arithmetic only through equality; null is 0.
enum class SymbolId : std::uint32_t {};

constexpr std::size_t index_of(SymbolId symbol) {
  return static_cast<std::size_t>(symbol);
}

}  // namespace bigfoot::logic
