#include "tools/explain/wording.h"

#include <algorithm>

namespace bigfoot::explain {
namespace {

std::string joined(const std::vector<std::string>& parts, const char* between) {
  std::string text;
  for (const std::string& p : parts) text += (text.empty() ? "" : between) + p;
  return text;
}

}  // namespace

std::string counted(std::size_t n, const char* one, const char* many) {
  return std::to_string(n) + " " + (n == 1 ? one : many);
}

std::string what(const Access& a) {
  std::string text = a.operation;
  if (a.bytes) text += " of " + counted(*a.bytes, "byte", "bytes");
  if (a.form == "memory") text += " (memory function)";
  if (a.form == "masked") text += " (masked vector)";
  if (a.form == "vtable_pointer") text += " (virtual-table pointer)";
  return text;
}

std::string indent_below(std::string_view line, unsigned column) {
  std::string indent;
  for (std::size_t i = 0; i + 1 < column; ++i) {
    const char c = i < line.size() ? line[i] : ' ';
    const bool continues_character = (static_cast<unsigned char>(c) & 0xc0) == 0x80;  // UTF-8
    if (!continues_character) indent += c == '\t' ? '\t' : ' ';
  }
  return indent;
}

// The first frame in the file that is shown.
const Place* Wording::shown(const Position& position) const {
  const auto it = std::find_if(position.begin(), position.end(), [&](const Place& p) {
    return record_.files[p.file] == source_ && p.line <= lines_;
  });
  return it == position.end() ? nullptr : &*it;
}

std::string Wording::name_of(const Place& p, bool with_column) const {
  const std::string at =
      std::to_string(p.line) +
      (with_column && p.column != 0 ? ":" + std::to_string(p.column) : std::string());
  if (record_.files[p.file] == source_) return at;
  return record_.files[p.file].filename().string() + ":" + at;
}
std::string Wording::name_of(const Position& position) const {
  if (position.empty()) return "an unknown place";
  const Place* p = shown(position);
  return name_of(p == nullptr ? position.front() : *p, true);
}

std::string Wording::described(const Function& f, const Check& c) const {
  std::string text = c.operation;
  if (!c.paths.empty()) text += " " + joined(c.paths, ", ");
  std::vector<std::string> places;
  for (const Covers& k : c.covers) {
    const std::string place = name_of(f.accesses[k.access].position);
    if (std::find(places.begin(), places.end(), place) == places.end()) places.push_back(place);
  }
  if (!places.empty()) text += ", for " + joined(places, " ");
  if (c.barrier == "access") return text;
  return text +
         (c.placed == "edge" ? "; on the way here, not later because of "
                             : "; not later because ") +
         c.reason;
}

std::string Wording::fate(const Function& f, const Access& a,
                          const std::vector<std::size_t>& numbers) const {
  if (a.fate == "covered_before") return "no check, an earlier one covers it";
  if (a.fate == "required_by_caller") return "no check, every caller has checked it";
  if (a.fate == "anticipated") {
    if (a.relies_on.empty()) return "no check, a later access brings it";
    return "no check, the access at " + name_of(f.accesses[a.relies_on.front()].position) +
           " brings it";
  }
  std::vector<std::string> parts;
  for (std::size_t i : a.checks)
    parts.push_back(std::to_string(numbers[i]) + how(f.checks[i], a, f));
  return (parts.size() > 1 ? "checks " : "check ") + joined(parts, " and ");
}

std::string Wording::how(const Check& c, const Access& a, const Function& f) const {
  const auto k = std::find_if(c.covers.begin(), c.covers.end(), [&](const Covers& covers) {
    return &f.accesses[covers.access] == &a;
  });
  if (k == c.covers.end() || (k->moved == "in_place" && k->left_loops.empty())) return "";
  const std::string when = k->moved == "in_place" ? "" : ", " + k->moved;
  if (k->left_loops.empty()) return when;
  return when + ", once for the loop at line " + name_of(k->left_loops.back(), false);
}

}  // namespace bigfoot::explain
