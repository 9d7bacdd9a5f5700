// `explain` records as the tool reads them. The fields are described in docs/explain-format.md.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace bigfoot::explain {

struct Place {
  std::size_t file = 0;  // index into Record::files
  unsigned line = 0;
  unsigned column = 0;
};
using Position = std::vector<Place>;  // the innermost frame first

struct Access {
  Position position;
  std::string operation;
  std::optional<std::uint64_t> bytes;
  std::string form;
  std::string fate;
  std::vector<std::size_t> checks;
  std::vector<std::size_t> relies_on;
};

struct Covers {
  std::size_t access = 0;
  std::string moved;
  std::vector<Place> left_loops;
};

struct Check {
  Position position;
  std::string placed;
  std::string operation;
  std::vector<std::string> paths;
  std::string shape;
  std::string rule;
  std::string reason;
  std::string barrier;
  std::vector<Covers> covers;
};

struct Function {
  std::string name;
  std::string symbol;
  std::optional<Place> defined;
  bool analysed = true;
  std::vector<Access> accesses;
  std::vector<Check> checks;
};

// Words of a type: a bit for each, and the names of their fields in that order.
struct Words {
  std::uint64_t set = 0;
  std::vector<std::string> fields;
};

// Which words of a type are checked together.
struct Type {
  std::string name;
  std::string symbol;  // the same in every file
  std::vector<Words> groups;
  struct Use {
    Words words;
    std::string manner;
    bool in_part = false;
    Position position;
  };
  std::vector<Use> uses;
};

struct Record {
  std::string detector;
  std::string source;
  std::filesystem::path directory;
  std::vector<std::filesystem::path> files;  // absolute
  std::vector<Function> functions;
  std::vector<Type> types;

  std::filesystem::path source_path() const { return (directory / source).lexically_normal(); }
};

// What is wrong with a record, in one line.
struct Unreadable {
  std::string message;
};

// Every index in the result is valid.
std::variant<Record, Unreadable> parse_record(const std::string& text);
std::variant<Record, Unreadable> read_record(const std::filesystem::path& file);

}  // namespace bigfoot::explain
