// Fields that are checked together, as a compiled module tells the run time of them.
//
// Facts about a type (which of its words this module always checks together) and the places that
// check them. Both are the module's data; what the run time makes of them is its own, because a
// module may be unloaded.
#pragma once

#include <cstddef>
#include <cstdint>

#include "abi/layout.h"

namespace bigfoot::abi {

// Words of a type that every check in the module treats alike: all of them, or none. One that is
// checked alone is told, too: it may be part of what another module checks together.
struct FieldGroup {
  std::uint64_t type;   // hash of the type's name
  std::uint64_t words;  // bit i: the word at byte 8 * i
  void* record;         // the run time's; null until the module is announced
};
static_assert(sizeof(FieldGroup) == 24 && offsetof(FieldGroup, record) == 16);

// Two modules' words of one type: whether who checks `some` accesses a part of the group `all`.
constexpr bool divides(std::uint64_t some, std::uint64_t all) {
  return (some & all) != 0 && (some & all) != all;
}

// One check of such a group. The accesses it stands for are told by their source positions, which
// are return addresses of calls that instrumented code makes once (entry point group_piece).
struct GroupSite {
  void* record;   // the run time's; null until all positions are known
  void* pending;  // the same before that
  FieldGroup* group;
  std::uint32_t pieces;
  struct Piece {
    std::uint8_t offset, bytes;
  } piece[kMaxGroupWords];
};
static_assert(offsetof(GroupSite, record) == 0 && offsetof(GroupSite, group) == 16);
static_assert(offsetof(GroupSite, pieces) == 24 && offsetof(GroupSite, piece) == 28);

}  // namespace bigfoot::abi
