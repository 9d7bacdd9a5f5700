// What became of the accesses of a function, in the source's terms: the one account that the
// remarks and the `explain` records are written from. docs/explain-format.md describes the fields.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/ir/plan.h"

namespace bigfoot::frontend::explain {

struct Frame {
  std::string file;
  unsigned line = 0;
  unsigned column = 0;
  std::string function;
};
// The innermost frame first; empty without debug information.
using Position = std::vector<Frame>;

// The words of docs/explain-format.md, in the order of each enumeration.
enum class Form : std::uint8_t { Plain, Memory, Masked, VtablePointer };
inline constexpr std::string_view kFormWords[] = {"plain", "memory", "masked", "vtable_pointer"};

using Fate = ir::Decision::Kind;
inline constexpr std::string_view kFateWords[] = {"checked", "covered_before", "anticipated",
                                                  "required_by_caller"};

enum class Shape : std::uint8_t { Single, Range, Strided };
inline constexpr std::string_view kShapeWords[] = {"single", "range", "strided"};

enum class Barrier : std::uint8_t {
  Call,
  NoReturn,
  Atomic,
  EndlessLoop,
  Join,
  End,
  Budget,
  Access
};
inline constexpr std::string_view kBarrierWords[] = {"call", "no_return", "atomic", "endless_loop",
                                                     "join", "end",       "budget", "access"};

enum class Moved : std::uint8_t { InPlace, Later, Earlier };
inline constexpr std::string_view kMovedWords[] = {"in_place", "later", "earlier"};

template <class Enum, std::size_t N>
constexpr std::string_view word(const std::string_view (&words)[N], Enum value) {
  return words[static_cast<std::size_t>(value)];
}

struct Access {
  Position position;
  bool writes = false;
  std::optional<std::uint64_t> bytes;
  Form form = Form::Plain;
  Fate fate = Fate::Checked;
  std::vector<std::size_t> checks;
  std::vector<std::size_t> relies_on;
};

struct Covers {
  std::size_t access = 0;
  Moved moved = Moved::InPlace;
  std::vector<Frame> left_loops;
};

struct Check {
  Position position;
  bool on_edge = false;
  bool writes = false;
  std::vector<std::string> paths;
  Shape shape = Shape::Single;
  std::string rule;
  Barrier barrier = Barrier::Access;
  std::string reason;
  std::vector<Covers> covers;
};

struct Function {
  std::string name;
  std::string symbol;
  std::optional<Frame> defined;
  bool analysed = true;
  std::vector<Access> accesses;
  std::vector<Check> checks;
};

// Some words of a type: their numbers, and their fields' names.
struct Words {
  std::vector<unsigned> numbers;
  std::vector<std::string> fields;
};

// How accesses know the type they are of: as its fields, not at all (bytes, unions, casts, -O0), or
// as memory that is copied or set.
enum class Manner : std::uint8_t { Fields, Untyped, Memory };
inline constexpr std::string_view kMannerWords[] = {"fields", "untyped", "memory"};

// Which words of a type are checked together.
struct Type {
  std::string name;
  std::string symbol;
  std::vector<Words> groups;  // neighbours
  struct Use {
    Words words;
    Manner manner;
    bool in_part;  // as less than whole words
    Position position;
  };
  std::vector<Use> uses;  // each with the first place that has it
};

}  // namespace bigfoot::frontend::explain
