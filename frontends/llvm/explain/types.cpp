#include "frontends/llvm/explain/types.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "frontends/llvm/checks.h"
#include "frontends/llvm/explain/source_names.h"
#include "frontends/llvm/fields/fields.h"

namespace bigfoot::frontend::explain {
namespace {

// Alias metadata calls a C++ type by the symbol of its name, a C type by its tag.
std::string source_name(const std::string& type) {
  constexpr std::string_view kIntro = "typeinfo name for ";
  const std::string name = demangled(type);
  return name.starts_with(kIntro) ? name.substr(kIntro.size()) : name;
}

// A word of several fields has their names.
std::string word_name(unsigned word, const TypeIndex* index, const llvm::DICompositeType* type) {
  const std::uint64_t begin = word * 8;
  std::string names, last;
  for (std::uint64_t byte = begin; type != nullptr && byte < begin + 8; ++byte) {
    const auto member = index->member_at(type, byte, 1);
    const std::string name = member ? member->path : members_at(*type, byte);
    if (name.empty() || name == last) continue;
    names += (names.empty() ? "" : "+") + name;
    last = name;
  }
  if (!names.empty()) return names;
  return "bytes " + std::to_string(begin) + ".." + std::to_string(begin + 8);
}

Words words_of(WordSet words, const TypeIndex* index, const llvm::DICompositeType* type) {
  Words out;
  for (unsigned w = 0; w < kMaxFieldBytes / 8; ++w) {
    if ((words >> w & 1) == 0) continue;
    out.numbers.push_back(w);
    out.fields.push_back(word_name(w, index, type));
  }
  return out;
}

// The words that the part has of the type itself; what is in a struct in it is that one's.
WordSet own_words(const PartOfRecord& part, const TypeIndex& index) {
  WordSet words = 0;
  for (std::uint64_t byte = part.begin; byte < part.end; ++byte) {
    const auto member = index.member_at(part.type, byte, 1);
    if (is_union(part.type) || (member && member->owner == part.type))
      words |= WordSet{1} << byte / 8;
  }
  return words;
}

class Types {
 public:
  Types(llvm::Module& module, const FieldProxies& proxies)
      : fields_(module), index_(fields_.types()), proxies_(proxies) {}

  std::vector<Type> give(const std::vector<LoweredFunction>& functions) {
    for (const auto& [symbol, type] : proxies_.types()) add(symbol, type);
    if (index_ != nullptr)
      for (const LoweredFunction& f : functions) add_untyped(f);
    std::vector<Type> result;
    for (Entry& e : entries_)
      if (!e.type.uses.empty()) result.push_back(std::move(e.type));
    std::sort(result.begin(), result.end(),
              [](const Type& a, const Type& b) { return a.name < b.name; });
    return result;
  }

 private:
  struct Entry {
    Type type;
    const llvm::DICompositeType* composite = nullptr;
    WordSet words = 0;                                    // that any use has
    std::set<std::tuple<WordSet, Manner, bool>> touched;  // by its uses
  };

  void add(const std::string& symbol, const TypeProxies& type) {
    Entry& e = entries_.emplace_back();
    e.composite = index_ == nullptr ? nullptr : index_->mangled(symbol);
    e.type.name = source_name(symbol);
    e.type.symbol = symbol;
    if (e.composite != nullptr) by_composite_[e.composite] = entries_.size() - 1;
    for (WordSet words : type.groups) e.type.groups.push_back(words_of(words, index_, e.composite));
    for (const auto& [words, where] : type.checked) use(e, words, Manner::Fields, false, *where);
    for (const auto& [words, where] : type.in_part) use(e, words, Manner::Fields, true, *where);
  }

  void use(Entry& e, WordSet words, Manner manner, bool in_part, const llvm::Instruction& where) {
    if (words == 0) return;
    if (e.touched.insert({words, manner, in_part}).second)
      e.type.uses.push_back(
          {words_of(words, index_, e.composite), manner, in_part, position_of(position(where))});
  }

  // Accesses of which alias metadata does not tell the field.
  void add_untyped(const LoweredFunction& f) {
    for (std::size_t i = 0; i < f.accesses.size(); ++i) {
      const PlainAccess& a = f.accesses[i];
      if (a.bytes == 0 || proxies_.field_of(f, ir::AccessId(i))) continue;
      const auto object = fields_.object_of(*f.function, a.address);
      if (!object) continue;
      for (const PartOfRecord& p :
           divided_by(object->type, object->offset, object->offset + a.bytes))
        if (Entry* e = p.end <= kMaxFieldBytes ? entry(*p.type) : nullptr)
          use(*e, own_words(p, *index_), a.is_memory_intrinsic() ? Manner::Memory : Manner::Untyped,
              p.begin % 8 != 0 || p.end % 8 != 0, *a.instruction);
    }
  }

  Entry* entry(const llvm::DICompositeType& composite) {
    const auto [it, fresh] = by_composite_.try_emplace(&composite, entries_.size());
    if (!fresh) return &entries_[it->second];
    Entry& e = entries_.emplace_back();
    e.composite = &composite;
    e.type.name = (is_union(&composite) ? "union " : "") + index_->name_of(composite);
    e.type.symbol =
        composite.getIdentifier().empty() ? e.type.name : composite.getIdentifier().str();
    return &e;
  }

  Fields fields_;
  const TypeIndex* index_;
  const FieldProxies& proxies_;
  std::vector<Entry> entries_;
  llvm::DenseMap<const llvm::DICompositeType*, std::size_t> by_composite_;
};

}  // namespace

std::vector<Type> types_of(llvm::Module& module, const FieldProxies& proxies,
                           const std::vector<LoweredFunction>& functions) {
  return Types(module, proxies).give(functions);
}

}  // namespace bigfoot::frontend::explain
