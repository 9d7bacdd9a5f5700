// Where arrays are allocated: every shared array, then every new_array in the order of the text
// (methods class by class, then threads). Checks do not allocate, so a program has the same sites
// with and without them.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "frontends/bfj/ast.h"

namespace bigfoot::bfj {

enum class SiteId : std::uint32_t {};
constexpr std::size_t index_of(SiteId s) {
  return static_cast<std::size_t>(s);
}

struct AllocationSites {
  struct Site {
    std::string name;                    // "shared a", "new_array x"
    std::optional<std::int64_t> length;  // where it is a constant
  };
  std::vector<Site> sites;
  std::unordered_map<std::string, SiteId> of_shared;
  std::unordered_map<const NewArray*, SiteId> of_statement;
};

// Keeps pointers into `program`.
AllocationSites allocation_sites(const Program& program);

}  // namespace bigfoot::bfj
