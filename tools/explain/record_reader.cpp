#include <bit>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "tools/explain/record.h"

namespace bigfoot::explain {
namespace {

using nlohmann::json;

constexpr int kVersion = 1;

class Reader {
 public:
  Record read(const json& from) {
    out_.detector = from.at("detector");
    out_.source = from.at("source");
    out_.directory = from.at("directory").get<std::string>();
    for (const json& name : from.at("files"))
      out_.files.push_back((out_.directory / name.get<std::string>()).lexically_normal());
    for (const json& f : from.at("functions")) out_.functions.push_back(function(f));
    if (from.contains("types"))
      for (const json& t : from.at("types")) out_.types.push_back(type(t));
    return std::move(out_);
  }

 private:
  static std::size_t index(const json& from, std::size_t size) {
    const auto i = from.get<std::size_t>();
    if (!from.is_number_unsigned() || i >= size)
      throw std::out_of_range("an index beyond the end of its list");
    return i;
  }
  static std::vector<std::size_t> indexes(const json& from, std::size_t size) {
    std::vector<std::size_t> out;
    for (const json& i : from) out.push_back(index(i, size));
    return out;
  }

  Place place(const json& from) const {
    return {index(from.at("file"), out_.files.size()), from.at("line").get<unsigned>(),
            from.value("column", 0U)};
  }
  std::vector<Place> places(const json& from) const {
    std::vector<Place> out;
    for (const json& p : from) out.push_back(place(p));
    return out;
  }

  Function function(const json& from) const {
    Function out;
    out.name = from.at("name");
    out.symbol = from.at("symbol");
    if (from.contains("file")) out.defined = place(from);
    out.analysed = from.at("analysed");
    const json &accesses = from.at("accesses"), &checks = from.at("checks");
    for (const json& a : accesses)
      out.accesses.push_back(access(a, accesses.size(), checks.size()));
    for (const json& c : checks) out.checks.push_back(check(c, accesses.size()));
    return out;
  }

  Type type(const json& from) const {
    Type out;
    out.name = from.at("name");
    out.symbol = from.at("symbol");
    const json& groups = from.at("groups");
    for (std::size_t i = 0; i < groups.size(); ++i)
      out.groups.push_back(words(groups.at(i), from.at("words").at(i)));
    for (const json& u : from.at("uses"))
      out.uses.push_back({words(u.at("fields"), u.at("words")), u.at("manner"),
                          u.at("in_part").get<bool>(), places(u.at("position"))});
    return out;
  }

  static Words words(const json& fields, const json& numbers) {
    Words out;
    out.fields = fields.get<std::vector<std::string>>();
    for (const json& n : numbers) {
      const auto word = n.get<std::uint64_t>();
      if (word >= 64) throw std::out_of_range("a word beyond what is known of types");
      out.set |= std::uint64_t{1} << word;
    }
    if (static_cast<std::size_t>(std::popcount(out.set)) != out.fields.size() || out.set == 0)
      throw std::out_of_range("not as many fields as words");
    return out;
  }

  Access access(const json& from, std::size_t accesses, std::size_t checks) const {
    Access out;
    out.position = places(from.at("position"));
    out.operation = from.at("operation");
    if (from.contains("bytes")) out.bytes = from.at("bytes").get<std::uint64_t>();
    out.form = from.at("form");
    out.fate = from.at("fate");
    out.checks = indexes(from.at("checks"), checks);
    if (from.contains("relies_on")) out.relies_on = indexes(from.at("relies_on"), accesses);
    return out;
  }

  Check check(const json& from, std::size_t accesses) const {
    Check out;
    out.position = places(from.at("position"));
    out.placed = from.at("placed");
    out.operation = from.at("operation");
    out.paths = from.at("paths").get<std::vector<std::string>>();
    out.shape = from.at("shape");
    out.rule = from.at("rule");
    out.reason = from.at("reason");
    out.barrier = from.at("barrier");
    for (const json& c : from.at("covers"))
      out.covers.push_back({index(c.at("access"), accesses), c.at("moved").get<std::string>(),
                            places(c.at("left_loops"))});
    return out;
  }

  Record out_;
};

}  // namespace

std::variant<Record, Unreadable> parse_record(const std::string& text) {
  try {
    const json from = json::parse(text);
    if (!from.is_object() || from.value("format", "") != "bigfoot-explain")
      return Unreadable{"not a record of --bigfoot-explain"};
    if (const int version = from.at("version"); version != kVersion)
      return Unreadable{"version " + std::to_string(version) + " of the format, this tool reads " +
                        std::to_string(kVersion)};
    return Reader().read(from);
  } catch (const json::parse_error&) {
    return Unreadable{"not JSON, or cut short"};
  } catch (const std::exception& error) {
    return Unreadable{std::string("not as docs/explain-format.md says: ") + error.what()};
  }
}

std::variant<Record, Unreadable> read_record(const std::filesystem::path& file) {
  std::ifstream stream(file);
  if (!stream) return Unreadable{std::strerror(errno)};
  return parse_record(std::string(std::istreambuf_iterator<char>(stream), {}));
}

}  // namespace bigfoot::explain
