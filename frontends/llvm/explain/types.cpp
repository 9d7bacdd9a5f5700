#include "frontends/llvm/explain/types.h"

#include <algorithm>

#include "frontends/llvm/checks.h"
#include "frontends/llvm/explain/source_names.h"
#include "frontends/llvm/fields/debug_types.h"

namespace bigfoot::frontend::explain {
namespace {

// Alias metadata calls a C++ type by the symbol of its name, a C type by its tag.
std::string source_name(const std::string& type) {
  constexpr std::string_view kIntro = "typeinfo name for ";
  const std::string name = demangled(type);
  return name.starts_with(kIntro) ? name.substr(kIntro.size()) : name;
}

// One name for each word: that of the member it is, or its bytes.
std::vector<std::string> fields(WordSet words, const TypeIndex& index,
                                const llvm::DICompositeType* type) {
  std::vector<std::string> names;
  for (unsigned w = 0; w < 64; ++w) {
    if ((words >> w & 1) == 0) continue;
    const auto member = type == nullptr ? std::nullopt : index.member_at(type, w * 8, 8);
    names.push_back(member ? member->path
                           : "bytes " + std::to_string(w * 8) + ".." + std::to_string(w * 8 + 8));
  }
  return names;
}

}  // namespace

std::vector<Type> types_of(const llvm::Module& module, const FieldProxies& proxies) {
  const TypeIndex index(module);
  std::vector<Type> result;
  for (const auto& [symbol, type] : proxies.types()) {
    const bool several = type.groups.size() > 1 || llvm::popcount(type.groups.front()) > 1;
    if (!several) continue;
    Type out;
    out.name = source_name(symbol);
    const llvm::DICompositeType* composite = index.mangled(symbol);
    for (WordSet words : type.groups) out.groups.push_back(fields(words, index, composite));
    const auto uses = [&](const auto& from, bool in_part) {
      for (const auto& [words, where] : from)
        out.uses.push_back(
            {fields(words, index, composite), in_part, position_of(position(*where))});
    };
    uses(type.checked, false);
    uses(type.in_part, true);
    result.push_back(std::move(out));
  }
  std::sort(result.begin(), result.end(),
            [](const Type& a, const Type& b) { return a.name < b.name; });
  return result;
}

}  // namespace bigfoot::frontend::explain
