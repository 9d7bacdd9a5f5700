#include "frontends/llvm/proxies.h"

#include <llvm/IR/Constants.h>
#include <llvm/Support/xxhash.h>

#include <algorithm>

#include "abi/groups.h"
#include "frontends/llvm/entry_points.h"
#include "frontends/llvm/instrument.h"

namespace bigfoot::frontend {
namespace {

constexpr std::int64_t kWordBytes = 8;
constexpr int kMostGroupWords = static_cast<int>(abi::kMaxGroupWords);

}  // namespace

// The pieces of a range that are fields of one object.
struct FieldProxies::Instance {
  std::string type;
  std::int64_t begin;  // of the object, relative to the range
  std::int64_t first;  // member of the type
  ir::AccessId example;
  WordSet words, in_part;
  struct Word {
    std::int64_t index;
    std::size_t piece;
  };
  std::vector<Word> whole;  // in ascending order
};

const std::optional<Field>& FieldProxies::field_of(const LoweredFunction& f,
                                                   ir::AccessId access) const {
  const auto [it, fresh] = fields_.try_emplace(&f);
  if (fresh) it->second = accessed_fields(f);
  return it->second[index_of(access)];
}

std::vector<FieldProxies::Instance> FieldProxies::instances(const LoweredFunction& f,
                                                            const SmallRange& range) const {
  std::vector<Instance> all;
  for (std::size_t i = 0; i < range.pieces.size(); ++i) {
    const Piece& p = range.pieces[i];
    const std::optional<Field>& field = field_of(f, p.access);
    const bool known = field && p.bytes == f.accesses[index_of(p.access)].bytes;
    if (!known || field->offset + p.bytes > kMaxFieldBytes) continue;
    const std::int64_t begin = p.begin - field->offset;
    auto it = std::find_if(all.begin(), all.end(), [&](const Instance& other) {
      return other.begin == begin && other.type == field->type;
    });
    if (it == all.end()) {
      all.push_back({field->type, begin, field->first, p.access, 0, 0, {}});
      it = all.end() - 1;
    }
    const bool whole = field->offset % kWordBytes == 0 && p.bytes % kWordBytes == 0;
    for (std::int64_t w = field->offset / kWordBytes; w * kWordBytes < field->offset + p.bytes;
         ++w) {
      (whole ? it->words : it->in_part) |= WordSet{1} << w;
      if (whole) it->whole.push_back({w, i});
    }
  }
  return all;
}

void FieldProxies::note(const LoweredFunction& f, const std::vector<SmallRange>& check) {
  struct Object {
    ir::LinearExpr begin;
    Instance fields;
  };
  std::vector<Object> objects;
  for (const SmallRange& range : check) {
    for (Instance& i : instances(f, range)) {
      const ir::LinearExpr begin = range.begin + i.begin;
      const auto it = std::find_if(objects.begin(), objects.end(), [&](const Object& o) {
        return o.begin == begin && o.fields.type == i.type;
      });
      if (it == objects.end()) {
        objects.push_back({begin, std::move(i)});
      } else {
        it->fields.words |= i.words;
        it->fields.in_part |= i.in_part;
      }
    }
  }
  for (const Object& o : objects) {
    const llvm::Instruction* where = f.accesses[index_of(o.fields.example)].instruction;
    TypeProxies& type = types_[o.fields.type];
    type.first_word = static_cast<unsigned>(o.fields.first / kWordBytes);
    if (o.fields.words != 0) type.checked.try_emplace(o.fields.words, where);
    if (o.fields.in_part != 0) type.in_part.try_emplace(o.fields.in_part, where);
  }
}

namespace {

bool together(const TypeProxies& type, unsigned a, unsigned b) {
  const auto alike = [&](WordSet words) { return (words >> a & 1) == (words >> b & 1); };
  for (const auto& [words, where] : type.in_part)
    if ((words >> a & 1) != 0 || (words >> b & 1) != 0) return false;
  return std::all_of(type.checked.begin(), type.checked.end(),
                     [&](const auto& c) { return alike(c.first); });
}

// Neighbours that are always together, as many as there are.
std::vector<WordSet> runs_of(const TypeProxies& type) {
  WordSet all = 0;
  for (const auto& [words, where] : type.checked) all |= words;
  for (const auto& [words, where] : type.in_part) all |= words;
  std::vector<WordSet> runs;
  for (unsigned w = 0; w < kMaxFieldBytes / kWordBytes; ++w) {
    if ((all >> w & 1) == 0) continue;
    const bool next = w > 0 && (all >> (w - 1) & 1) != 0 && together(type, w - 1, w);
    if (!next) runs.push_back(0);
    runs.back() |= WordSet{1} << w;
  }
  return runs;
}

// A run that is too long for one group is cut at fixed words of the type, counted from its first
// member: modules that know different things of a type agree on most of the cuts.
std::vector<WordSet> partition(const TypeProxies& type) {
  std::vector<WordSet> groups;
  for (WordSet run : runs_of(type)) {
    const bool fits = llvm::popcount(run) <= kMostGroupWords;
    for (unsigned w = 0; w < kMaxFieldBytes / kWordBytes; ++w) {
      if ((run >> w & 1) == 0) continue;
      const bool begins = w == 0 || (run >> (w - 1) & 1) == 0;
      const bool cut = !fits && (w - type.first_word) % abi::kMaxGroupWords == 0;
      if (begins || cut) groups.push_back(0);
      groups.back() |= WordSet{1} << w;
    }
  }
  return groups;
}

// Whether all checks of `a` are checks of `b`, too.
bool goes_with(const TypeProxies& type, unsigned a, unsigned b) {
  for (const auto& [words, where] : type.in_part)
    if ((words >> a & 1) != 0 || (words >> b & 1) != 0) return false;
  return std::all_of(type.checked.begin(), type.checked.end(), [&](const auto& c) {
    return (c.first >> a & 1) == 0 || (c.first >> b & 1) != 0;
  });
}

// Of words that go with each other the first speaks for the others, so that one is left.
WordSet one_sided(const TypeProxies& type) {
  WordSet all = 0, gone = 0;
  for (const auto& [words, where] : type.checked) all |= words;
  constexpr unsigned kWords = kMaxFieldBytes / kWordBytes;
  for (unsigned a = 0; a < kWords; ++a)
    for (unsigned b = 0; b < kWords && (all >> a & 1) != 0; ++b)
      if (a != b && (all >> b & 1) != 0 && goes_with(type, a, b) &&
          (b < a || !goes_with(type, b, a)))
        gone |= WordSet{1} << a;
  return gone;
}

}  // namespace

std::vector<bool> FieldProxies::spoken_for(const LoweredFunction& f,
                                           const SmallRange& range) const {
  std::vector<bool> result(range.pieces.size(), false);
  if (!one_sided_) return result;
  for (const Instance& i : instances(f, range))
    for (const Instance::Word& w : i.whole)
      if ((types_.at(i.type).spoken_for >> w.index & 1) != 0) result[w.piece] = true;
  return result;
}

void FieldProxies::decide() {
  for (auto& [name, type] : types_) {
    type.groups = partition(type);
    type.spoken_for = one_sided(type);
    first_index_[name] = count_;
    count_ += type.groups.size();
  }
}

std::vector<FieldProxies::Group> FieldProxies::groups_of(const LoweredFunction& f,
                                                         const SmallRange& range) const {
  std::vector<Group> result;
  for (const Instance& i : instances(f, range)) {
    const TypeProxies& type = types_.at(i.type);
    for (std::size_t g = 0; g < type.groups.size(); ++g) {
      const WordSet words = type.groups[g];
      if (llvm::popcount(words) < 2 || (i.words & words) != words) continue;
      const auto in_group = [&](const Instance::Word& w) { return (words >> w.index & 1) != 0; };
      const auto first = std::find_if(i.whole.begin(), i.whole.end(), in_group);
      const auto last = std::find_if_not(first, i.whole.end(), in_group) - 1;
      // An access of several words may be cut by the bound of a group.
      std::int64_t bytes = 0;
      for (std::size_t p = first->piece; p <= last->piece; ++p) bytes += range.pieces[p].bytes;
      const auto count = static_cast<unsigned>(llvm::popcount(words));
      if (bytes != count * 8) continue;
      result.push_back(
          {first->piece, last->piece - first->piece + 1, count, first_index_.at(i.type) + g});
    }
  }
  std::sort(result.begin(), result.end(),
            [](const Group& a, const Group& b) { return a.first < b.first; });
  return result;
}

llvm::GlobalVariable* FieldProxies::table(llvm::Module& module) {
  if (table_ != nullptr || count_ == 0) return table_;
  llvm::LLVMContext& c = module.getContext();
  auto* word = llvm::Type::getInt64Ty(c);
  auto* pointer = llvm::PointerType::getUnqual(c);
  auto* entry = llvm::StructType::get(c, {word, word, pointer});
  std::vector<llvm::Constant*> entries;
  for (const auto& [name, type] : types_)
    for (WordSet words : type.groups)
      entries.push_back(llvm::ConstantStruct::get(
          entry, {llvm::ConstantInt::get(word, llvm::xxh3_64bits(name)),
                  llvm::ConstantInt::get(word, words), llvm::ConstantPointerNull::get(pointer)}));
  auto* type = llvm::ArrayType::get(entry, entries.size());
  table_ = run_time_data(
      *new llvm::GlobalVariable(module, type, false, llvm::GlobalValue::PrivateLinkage,
                                llvm::ConstantArray::get(type, entries), "bf.field_groups"));
  return table_;
}

llvm::Constant* FieldProxies::entry(llvm::Module& module, std::size_t index) {
  auto* byte = llvm::Type::getInt8Ty(module.getContext());
  auto* at = llvm::ConstantInt::get(llvm::Type::getInt64Ty(module.getContext()),
                                    index * sizeof(abi::FieldGroup));
  return llvm::ConstantExpr::getInBoundsGetElementPtr(byte, table(module), at);
}

llvm::GlobalVariable* run_time_data(llvm::GlobalVariable& data) {
  data.setExternallyInitialized(true);
  return &data;
}

void announce_groups(llvm::Function& constructor, FieldProxies& proxies) {
  llvm::Module& module = *constructor.getParent();
  llvm::GlobalVariable* table = proxies.table(module);
  if (table == nullptr) return;
  EntryPoints entries(module);
  llvm::IRBuilder<> at(constructor.getEntryBlock().getTerminator());
  entries.call(at, "field_groups",
               {table, at.getInt32(static_cast<std::uint32_t>(proxies.count()))});
}

}  // namespace bigfoot::frontend
