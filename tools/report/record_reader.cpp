#include "tools/report/record_reader.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <istream>
#include <optional>
#include <string_view>

namespace bigfoot::report {
namespace {

using nlohmann::json;

// A text of a message: one line, printable, not too long.
std::string shown(std::string text) {
  constexpr std::size_t kLongest = 40;
  if (text.size() > kLongest) text = text.substr(0, kLongest) + "...";
  for (char& c : text)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  return text;
}

std::optional<std::string> wrong_version(const json& record) {
  const auto version = record.find("version");
  if (version == record.end() || !version->is_number_unsigned())
    return "a record without a version of its format";
  const auto number = version->get<std::uint64_t>();
  if (number > kNewestVersion)
    return "version " + std::to_string(number) + " of the format, this tool reads up to " +
           std::to_string(kNewestVersion) + "; use a newer bigfoot";
  if (number < kOldestVersion)
    return "version " + std::to_string(number) + " of the format is none";
  return std::nullopt;
}

// What is wrong with a record's head, if anything.
std::optional<std::string> wrong_head(const json& record) {
  if (!record.is_object()) return "not a JSON object";
  const auto schema = record.find("schema");
  if (schema == record.end() || *schema != "bigfoot-report")
    return "not a record of BigFoot (no \"schema\":\"bigfoot-report\")";
  if (auto wrong = wrong_version(record)) return wrong;
  const auto type = record.find("type");
  if (type == record.end() || !type->is_string()) return "a record without a type";
  return std::nullopt;
}

// Where the text stops making sense, or that it just stops.
std::string describe(const json::parse_error& error, const std::string& line) {
  if (error.byte > line.size())
    return "the record is cut short after " + std::to_string(line.size()) + " bytes";
  return "not JSON at column " + std::to_string(error.byte) + ": '" +
         shown(line.substr(error.byte == 0 ? 0 : error.byte - 1)) + "'";
}

void read_record(const std::string& line, const Place& place, Records& to) {
  json record;
  try {
    record = json::parse(line);
  } catch (const json::parse_error& error) {
    to.problems.push_back({place, describe(error, line)});
    return;
  }
  if (auto wrong = wrong_head(record)) {
    to.problems.push_back({place, *wrong});
    return;
  }
  const std::string type = record["type"];
  if (type == "race" || type == "finding")
    to.reports.push_back({place, std::move(record)});
  else if (type == "end")
    to.ends.push_back({place, std::move(record)});
  else
    to.problems.push_back({place, "a record of the unknown type '" + shown(type) + "'"});
}

// Within a record it cannot be: quotes in texts have a backslash before them.
constexpr std::string_view kBeginning = "{\"schema\":\"bigfoot-report\"";

// One record; or several, where one was cut short and the next process went on in the same line.
void read_line(const std::string& line, const Place& place, Records& to) {
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  std::size_t begin = line.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
  while (begin < line.size()) {
    const std::size_t end = std::min(line.find(kBeginning, begin + 1), line.size());
    read_record(line.substr(begin, end - begin), place, to);
    begin = end;
  }
}

}  // namespace

std::string to_string(const Problem& problem) {
  const std::string line = problem.place.line == 0 ? "" : ":" + std::to_string(problem.place.line);
  return problem.place.file + line + ": " + problem.what;
}

void read_records(std::istream& in, const std::string& name, Records& to) {
  const std::size_t problems = to.problems.size();
  const std::size_t kept = to.reports.size() + to.ends.size();
  std::size_t number = 0;
  bool has_records = false;  // good or bad
  for (std::string line; std::getline(in, line);) {
    ++number;
    has_records |= line.find(kBeginning) != std::string::npos;
    if (line.find_first_not_of(" \t\r") != std::string::npos) read_line(line, {name, number}, to);
  }
  // Some other file: one line says so, not one for each of its lines.
  has_records |= to.reports.size() + to.ends.size() != kept;
  if (!has_records && to.problems.size() > problems + 1) {
    to.problems.resize(problems + 1);
    to.problems.back().what += "; no line of the file is a record of BigFoot";
  }
  if (in.bad()) to.problems.push_back({{name, 0}, "reading stopped after an error"});
}

void read_file(const std::filesystem::path& file, Records& to) {
  const std::string name = file.string();
  if (std::filesystem::is_directory(file)) {
    to.problems.push_back({{name, 0}, "is a folder; name the files in it"});
    return;
  }
  errno = 0;
  std::ifstream stream(file, std::ios::binary);
  if (!stream) {
    to.problems.push_back({{name, 0}, std::string("cannot be read: ") + std::strerror(errno)});
    return;
  }
  read_records(stream, name, to);
}

}  // namespace bigfoot::report
