#include "tools/explain/proxies_page.h"

#include <algorithm>

#include "tools/explain/wording.h"

namespace bigfoot::explain {
namespace {

std::string listed(const std::vector<std::string>& names) {
  std::string text = "{";
  for (const std::string& name : names) text += (text.size() > 1 ? ", " : "") + name;
  return text + "}";
}

bool has(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

// Whether the use tells neighbouring groups apart, or a word of them from the rest of itself.
bool parts(const Type::Use& use, const std::vector<std::string>& a,
           const std::vector<std::string>& b) {
  const bool in_a = has(use.fields, a.back()), in_b = has(use.fields, b.front());
  return in_a != in_b || (use.in_part && (in_a || in_b));
}

class Page {
 public:
  explicit Page(const Record& record) : record_(record), words_(record, 0) {}

  std::string make() const {
    std::string text = record_.source_path().filename().string() + ": " +
                       counted(record_.types.size(), "type", "types") + " (" + record_.detector +
                       ")\n";
    for (const Type& t : record_.types) text += "\n" + type(t);
    return text;
  }

 private:
  std::string type(const Type& t) const {
    std::string text = t.name + "\n";
    for (const auto& g : t.groups)
      if (g.size() > 1) text += "  one location: " + listed(g) + "\n";
    for (std::size_t i = 1; i < t.groups.size(); ++i) text += apart(t, i);
    return text;
  }

  // Why the groups `i - 1` and `i` are two: the first use that tells them apart.
  std::string apart(const Type& t, std::size_t i) const {
    const auto &before = t.groups[i - 1], &behind = t.groups[i];
    const auto use =
        std::ranges::find_if(t.uses, [&](const Type::Use& u) { return parts(u, before, behind); });
    if (use == t.uses.end()) return {};  // not neighbours, or too many for one
    return "  " + before.back() + " and " + behind.front() + " apart: " + listed(use->fields) +
           (use->in_part ? " in part" : "") + " checked" + at(use->position) + "\n";
  }

  std::string at(const Position& position) const {
    return position.empty() ? "" : " at " + words_.name_of(position.front(), true);
  }

  const Record& record_;
  Wording words_;
};

}  // namespace

std::string proxies_page(const Record& record) {
  return Page(record).make();
}

}  // namespace bigfoot::explain
