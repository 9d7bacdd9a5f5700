#include "tools/explain/proxies_page.h"

#include <algorithm>
#include <bit>
#include <map>
#include <set>

#include "abi/groups.h"
#include "tools/explain/wording.h"

namespace bigfoot::explain {
namespace {

std::string listed(const std::vector<std::string>& names) {
  std::string text = "{";
  for (const std::string& name : names) text += (text.size() > 1 ? ", " : "") + name;
  return text + "}";
}

// What one file says of a type.
struct Statement {
  const Record* file;
  const Type* type;
};
using Statements = std::vector<Statement>;

bool is_typed(const Type::Use& use) {
  return use.manner == "fields";
}

// What a use keeps apart: some of the words from the others, or one from its own rest.
bool divides(const Type::Use& use, std::uint64_t words) {
  return abi::divides(use.words.set, words) || (use.in_part && (use.words.set & words) != 0);
}

class Page {
 public:
  explicit Page(const std::vector<Record>& records) : records_(records) {
    for (const Record& r : records)
      for (const Type& t : r.types) types_[{t.name, t.symbol}].push_back({&r, &t});
    std::erase_if(types_, [](const auto& type) { return has_one_word(type.second); });
  }

  std::string make() const {
    std::string text;
    for (const Record& r : records_)
      text += (text.empty() ? "" : ", ") + r.source_path().filename().string();
    text +=
        ": " + counted(types_.size(), "type", "types") + " (" + records_.front().detector + ")\n";
    for (const auto& [name, statements] : types_) text += "\n" + type(name.first, statements);
    return text;
  }

 private:
  // There is nothing to say of types that have one word in all files, if that is known as a field.
  static bool has_one_word(const Statements& all) {
    std::uint64_t words = 0;
    for (const Statement& s : all) {
      for (const Words& g : s.type->groups) words |= g.set;
      for (const Type::Use& u : s.type->uses)
        if (!is_typed(u)) return false;
    }
    return std::popcount(words) == 1;
  }

  // Files may say the same; it is said once.
  static std::string type(const std::string& name, const Statements& all) {
    std::string text = name + "\n";
    std::set<std::string> said;
    const auto say = [&](const std::string& line) {
      if (!line.empty() && said.insert(line).second) text += "  " + line + "\n";
    };
    for (const Statement& s : all)
      for (const Words& g : s.type->groups)
        if (g.fields.size() > 1) say(shared(g, s, all));
    for (const Statement& s : all)
      for (std::size_t i = 1; i < s.type->groups.size(); ++i) say(apart(s, i));
    std::set<std::string> manners;
    for (const Statement& s : all)
      for (const Type::Use& u : s.type->uses)
        if (!is_typed(u)) say(is_known(all) ? cut(u, s, all) : unknown(u, s, manners));
    if (said.empty()) say("nothing to share: it has one word that is no part of another type");
    return text;
  }

  // What is to become of the words that one file always checks together.
  static std::string shared(const Words& g, const Statement& who, const Statements& all) {
    for (const Statement& s : all)
      for (const Words& other : s.type->groups)
        if (abi::divides(other.set, g.set))
          return listed(g.fields) + " of " + file_of(who) +
                 " not shared: " + reason(g.set, other, s);
    return "one location: " + listed(g.fields);
  }

  // What keeps the words apart in a file; a word that is accessed in part has no other reason.
  static const Type::Use* divider(const Statement& s, std::uint64_t words) {
    const Type::Use* found = nullptr;
    for (const Type::Use& u : s.type->uses) {
      if (!is_typed(u) || !divides(u, words)) continue;
      if (found == nullptr || (u.in_part && !found->in_part)) found = &u;
    }
    return found;
  }

  static std::string reason(std::uint64_t words, const Words& other, const Statement& s) {
    if (const Type::Use* u = divider(s, words)) return described(*u) + at(*u, s);
    return file_of(s) + " has " + listed(other.fields) + " as one";
  }

  // Why the groups `i - 1` and `i` of a file are two.
  static std::string apart(const Statement& s, std::size_t i) {
    const Words &before = s.type->groups[i - 1], &behind = s.type->groups[i];
    const std::uint64_t last = std::bit_floor(before.set), first = behind.set & -behind.set;
    const std::string names = before.fields.back() + " and " + behind.fields.front() + " apart: ";
    if (first != last << 1) return names + "no neighbours";
    if (const Type::Use* u = divider(s, last | first)) return names + described(*u) + at(*u, s);
    return names + "a location has at most " + std::to_string(abi::kMaxGroupWords) + " words";
  }

  // An access that knows nothing of the type: the compiler does not count it, the run time cuts.
  static std::string cut(const Type::Use& u, const Statement& s, const Statements& all) {
    for (const Statement& other : all)
      for (const Words& g : other.type->groups)
        if (g.fields.size() > 1 && divides(u, g.set) && is_agreed(g, all))
          return listed(g.fields) + " cut where " + described(u) + at(u, s);
    return {};
  }

  // A type that no access knows of: unions, and everything at -O0. Once for each manner.
  static std::string unknown(const Type::Use& u, const Statement& s,
                             std::set<std::string>& manners) {
    if (!manners.insert(u.manner).second) return {};
    return "nothing shared: " + described(u) + at(u, s);
  }
  static bool is_agreed(const Words& g, const Statements& all) {
    return std::ranges::none_of(all, [&](const Statement& s) {
      return std::ranges::any_of(
          s.type->groups, [&](const Words& other) { return abi::divides(other.set, g.set); });
    });
  }
  static bool is_known(const Statements& all) {
    return std::ranges::any_of(all, [](const Statement& s) { return !s.type->groups.empty(); });
  }

  static std::string described(const Type::Use& u) {
    const std::string how = u.manner == "memory"    ? " copied or set as memory"
                            : u.manner == "untyped" ? " accessed without its type"
                                                    : " checked";
    return listed(u.words.fields) + (u.in_part ? " in part" : "") + how;
  }

  static std::string file_of(const Statement& s) {
    return s.file->source_path().filename().string();
  }
  static std::string at(const Type::Use& u, const Statement& s) {
    if (u.position.empty()) return " in " + file_of(s);
    const Place& p = u.position.front();
    return " at " + s.file->files[p.file].filename().string() + ":" + std::to_string(p.line) + ":" +
           std::to_string(p.column);
  }

  const std::vector<Record>& records_;
  std::map<std::pair<std::string, std::string>, Statements> types_;
};

}  // namespace

std::string proxies_page(const std::vector<Record>& records) {
  return Page(records).make();
}

}  // namespace bigfoot::explain
