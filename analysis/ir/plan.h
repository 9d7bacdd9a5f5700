// A placement: which paths to check where, and which source accesses each check answers for.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/ir/program.h"

namespace bigfoot::ir {

// Before instruction `index` of a block (index == number of instructions: before the terminator),
// or on the edge to `edge_to`.
struct Point {
  BlockId block{};
  std::uint32_t index = 0;
  std::optional<BlockId> edge_to;

  static Point before(BlockId block, std::size_t index) {
    return {block, static_cast<std::uint32_t>(index), std::nullopt};
  }
  static Point on_edge(BlockId from, BlockId to) { return {from, UINT32_MAX, to}; }
  auto operator<=>(const Point&) const = default;
};

// One coalesced check: several ranges of one base (base.x/y/z, base[lo..hi:step]).
struct Check {
  AccessKind kind;
  SymbolId base;
  Space space = Space::Elements;
  std::vector<Range> ranges;  // sorted
};

// An access a check answers for, and the part of its accesses it covers there (as a path in the
// names of the check's point).
struct Covered {
  enum class Standing : std::uint8_t {
    Named,  // touched all of the part, whichever way control came to the check: a race there may
            // be reported as this access
    Share,  // touched some of it; together with others all of it
    OneOf,  // it or another one touched it, depending on the way
    Also,   // needs no check of its own because of this one, and is not what it is named after
  };
  AccessId access;
  Range part;
  Standing standing = Standing::Named;
  auto operator<=>(const Covered&) const = default;
};

struct PlacedCheck {
  Point point;
  Check check;
  std::vector<Covered> stands_for;
  std::string rule;  // the rule that put it here: ACQ, REL, IF, LOOP, CALL, STMT, ...
};

// Why an access has no check of its own, for explaining a placement.
struct Decision {
  enum class Kind : std::uint8_t {
    Checked,           // a check stands for it
    CoveredBefore,     // an earlier check in the same release-free span covers it
    Anticipated,       // a later access, with its check, comes before any acquire
    RequiredByCaller,  // redcard: every caller has checked it
  };
  AccessId access;
  Kind kind;
  Point where;                      // where that was decided
  std::string blocked_by;           // what kept the check from moving further (Checked only)
  std::vector<AccessId> relies_on;  // the later accesses (Anticipated)
};

// A path worth considering when the plan is verified. Untrusted: a verifier may use it as a
// candidate, never as a fact.
struct Hint {
  AccessKind kind;
  Path path;
  auto operator<=>(const Hint&) const = default;
};

// RedCard's `requires P ensures Q`, in the function's parameters: what all callers have checked
// when it is called, and what is checked when it is left, each with no release since. (`modifies`
// is part of Effects.) A claim that whoever verifies the plan has to verify, too.
struct Specification {
  struct Item {
    AccessKind kind;
    Path path;
  };
  std::vector<Item> requires_checked;
  std::vector<Item> ensures_checked;
};

struct Plan {
  std::vector<PlacedCheck> checks;  // sorted by point
  std::vector<Decision> decisions;  // sorted by access
  std::vector<Hint> hints;
  Specification specification;
};

}  // namespace bigfoot::ir
