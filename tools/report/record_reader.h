// From files of JSON lines (docs/json-format.md) to records that can be relied on.
//
// Reports come from processes that crash, disks that fill and versions that differ. A line that is
// not a whole record of a version we know is described and left out; every other one is kept.
#pragma once

#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace bigfoot::report {

// Versions of the format that are read; a newer one may mean something else by the same words.
inline constexpr std::uint64_t kOldestVersion = 1;
inline constexpr std::uint64_t kNewestVersion = 3;

struct Place {
  std::string file;
  std::size_t line = 0;  // 0: the file as a whole
};

struct Problem {
  Place place;
  std::string what;
};
// "file:12: what"
std::string to_string(const Problem& problem);

struct Record {
  Place place;
  nlohmann::json value;
};

struct Records {
  std::vector<Record> reports;  // of type race and finding, in the order found
  std::vector<Record> ends;     // of type end
  std::vector<Problem> problems;
};

// Appends what the stream holds. `name` is for messages.
void read_records(std::istream& in, const std::string& name, Records& to);

// Opens and reads the file; one that cannot be read is a problem.
void read_file(const std::filesystem::path& file, Records& to);

}  // namespace bigfoot::report
