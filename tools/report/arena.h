// Memory for loaded reports: everything in it lives as long as the arena, nothing is destroyed.
#pragma once

#include <memory_resource>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_set>

#include "runtime/base/text.h"

namespace bigfoot::report {

class Arena {
 public:
  template <class T>
  T* make(std::size_t count) {
    static_assert(std::is_trivially_destructible_v<T>);
    auto* items =
        static_cast<T*>(memory_.allocate(sizeof(T) * (count == 0 ? 1 : count), alignof(T)));
    for (std::size_t i = 0; i < count; ++i) new (items + i) T();
    return items;
  }

  // The same text at the same place each time, with a zero behind it.
  rt::Text intern(std::string_view text) {
    const std::string& kept = *texts_.emplace(text).first;
    return {kept.c_str(), kept.size()};
  }

 private:
  std::pmr::monotonic_buffer_resource memory_;
  std::unordered_set<std::string> texts_;  // its nodes do not move
};

inline std::string_view view(rt::Text text) {
  return {text.data, text.size};
}

}  // namespace bigfoot::report
