// Records as the run time writes them, made by hand for tests of the tool.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace bigfoot::report::testing {

using nlohmann::json;

inline json frame(const std::string& function, const std::string& file, unsigned line,
                  unsigned column) {
  return {{"function", function}, {"file", file},     {"line", line},  {"column", column},
          {"module", 0},          {"offset", "0x10"}, {"pc", "0x5010"}};
}

inline json stack(std::initializer_list<json> frames) {
  return {{"frames", json(frames)}};
}

inline json access(const char* role, const char* kind, unsigned thread, json at) {
  return {{"role", role},
          {"kind", kind},
          {"atomic", false},
          {"address", "0x1000"},
          {"size", 4},
          {"thread", thread},
          {"clock", 7},
          {"stack", std::move(at)},
          {"locks", json::array()}};
}

// A race on the global `name` between two lines of file.cpp.
inline json race(const std::string& name, unsigned line, unsigned pid = 100) {
  json record = {{"schema", "bigfoot-report"},
                 {"version", 1},
                 {"type", "race"},
                 {"kind", "data-race"},
                 {"title", "data race"},
                 {"summary", "data race"},
                 {"pid", pid},
                 {"time_ms", 1},
                 {"overlap", {{"address", "0x1000"}, {"size", 4}}}};
  char digits[17];
  std::snprintf(digits, sizeof digits, "%016zx", std::hash<std::string>()(name) ^ line);
  record["fingerprint"] = digits;
  record["accesses"] = {
      access("current", "write", 2,
             stack({frame("set(int)", "/src/file.cpp", line, 3),
                    frame("main", "/src/file.cpp", 90, 5)})),
      access("previous", "read", 1, stack({frame("get()", "/src/file.cpp", line + 1, 10)}))};
  record["object"] = {{"kind", "global"}, {"name", name}, {"address", "0x1000"},
                      {"size", 4},        {"module", 0},  {"offset", "0x20"}};
  record["mutexes"] = json::array();
  record["threads"] = {{{"id", 1}, {"os_id", 11}, {"state", "finished"}, {"creator", 0}},
                       {{"id", 2}, {"os_id", 12}, {"state", "running"}, {"creator", 0}}};
  record["modules"] = {{{"id", 0}, {"path", "/no/such/program"}, {"bias", "0x5000"}}};
  return record;
}

inline json end_record(unsigned pid = 100) {
  return {{"schema", "bigfoot-report"},
          {"version", 1},
          {"type", "end"},
          {"pid", pid},
          {"time_ms", 2},
          {"reported", 1},
          {"duplicates", 3},
          {"suppressed", 0},
          {"dropped", 0},
          {"suppressions", json::array()}};
}

}  // namespace bigfoot::report::testing
