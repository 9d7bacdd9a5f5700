#include "frontends/llvm/proxies.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/Metadata.h>
#include <llvm/Support/xxhash.h>

#include <algorithm>

#include "abi/groups.h"
#include "frontends/llvm/entry_points.h"
#include "frontends/llvm/instrument.h"

namespace bigfoot::frontend {
namespace {

constexpr std::int64_t kMostWords = 64;

std::int64_t constant_of(const llvm::MDNode& node, unsigned operand) {
  return llvm::mdconst::extract<llvm::ConstantInt>(node.getOperand(operand))->getSExtValue();
}

// The member of a struct's node (name, member, offset, member, offset ...) that has the byte.
struct Part {
  const llvm::MDNode* type = nullptr;
  std::int64_t offset = 0;
};
Part member_at(const llvm::MDNode& type, std::int64_t offset) {
  Part best;
  for (unsigned i = 1; i + 1 < type.getNumOperands(); i += 2) {
    const auto* member = llvm::dyn_cast_or_null<llvm::MDNode>(type.getOperand(i).get());
    if (member == nullptr || !llvm::mdconst::hasa<llvm::ConstantInt>(type.getOperand(i + 1)))
      return {};
    const std::int64_t begin = constant_of(type, i + 1);
    if (begin <= offset) best = {member, begin};
  }
  return best;
}

const llvm::MDNode* node_at(const llvm::MDNode& tag, unsigned operand) {
  return llvm::dyn_cast_or_null<llvm::MDNode>(tag.getOperand(operand).get());
}

}  // namespace

std::optional<Field> field_of(const llvm::Instruction& access) {
  const llvm::MDNode* tag = access.getMetadata(llvm::LLVMContext::MD_tbaa);
  if (tag == nullptr || tag->getNumOperands() < 3) return std::nullopt;
  const llvm::MDNode* type = node_at(*tag, 0);
  const llvm::MDNode* accessed = node_at(*tag, 1);
  if (type == nullptr || accessed == nullptr || type == accessed ||
      !llvm::mdconst::hasa<llvm::ConstantInt>(tag->getOperand(2)))
    return std::nullopt;
  std::int64_t offset = constant_of(*tag, 2);
  for (;;) {
    const Part member = member_at(*type, offset);
    if (member.type == nullptr) return std::nullopt;
    if (member.type == accessed) break;
    type = member.type;
    offset -= member.offset;
  }
  const auto* name = llvm::dyn_cast<llvm::MDString>(type->getOperand(0));
  if (name == nullptr || name->getString().empty()) return std::nullopt;
  return Field{name->getString().str(), offset};
}

// The pieces of a range that are fields of one object.
struct FieldProxies::Instance {
  std::string type;
  std::int64_t begin;  // of the object, relative to the range
  WordSet words, in_part;
  struct Word {
    std::int64_t index;
    std::size_t piece;
  };
  std::vector<Word> whole;  // in ascending order
};

std::vector<FieldProxies::Instance> FieldProxies::instances(const LoweredFunction& f,
                                                            const SmallRange& range) const {
  std::vector<Instance> all;
  for (std::size_t i = 0; i < range.pieces.size(); ++i) {
    const Piece& p = range.pieces[i];
    const PlainAccess& access = f.accesses[index_of(p.access)];
    const bool known = p.bytes == access.bytes && !access.is_memory_intrinsic();
    const auto field = known ? field_of(*access.instruction) : std::nullopt;
    if (!field || field->offset + p.bytes > kMostWords * 8) continue;
    const std::int64_t begin = p.begin - field->offset;
    auto it = std::find_if(all.begin(), all.end(), [&](const Instance& other) {
      return other.begin == begin && other.type == field->type;
    });
    if (it == all.end()) {
      all.push_back({field->type, begin, 0, 0, {}});
      it = all.end() - 1;
    }
    const bool whole = field->offset % 8 == 0 && p.bytes % 8 == 0;
    for (std::int64_t w = field->offset / 8; w * 8 < field->offset + p.bytes; ++w) {
      (whole ? it->words : it->in_part) |= WordSet{1} << w;
      if (whole) it->whole.push_back({w, i});
    }
  }
  return all;
}

void FieldProxies::note(const LoweredFunction& f, const SmallRange& range) {
  const llvm::Instruction* where = f.accesses[index_of(range.pieces.front().access)].instruction;
  for (const Instance& i : instances(f, range)) {
    TypeProxies& type = types_[i.type];
    if (i.words != 0) type.checked.try_emplace(i.words, where);
    if (i.in_part != 0) type.in_part.try_emplace(i.in_part, where);
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

std::vector<WordSet> partition(const TypeProxies& type) {
  WordSet all = 0;
  for (const auto& [words, where] : type.checked) all |= words;
  for (const auto& [words, where] : type.in_part) all |= words;
  std::vector<WordSet> groups;
  for (unsigned w = 0; w < kMostWords; ++w) {
    if ((all >> w & 1) == 0) continue;
    const bool next = w > 0 && !groups.empty() && (groups.back() >> (w - 1) & 1) != 0;
    const bool room = next && llvm::popcount(groups.back()) < static_cast<int>(abi::kMaxGroupWords);
    if (room && together(type, w - 1, w))
      groups.back() |= WordSet{1} << w;
    else
      groups.push_back(WordSet{1} << w);
  }
  return groups;
}

}  // namespace

void FieldProxies::decide() {
  for (auto& [name, type] : types_) {
    type.groups = partition(type);
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

void announce_groups(llvm::Module& module, FieldProxies& proxies) {
  llvm::GlobalVariable* table = proxies.table(module);
  if (table == nullptr) return;
  EntryPoints entries(module);
  llvm::IRBuilder<> at(module_constructor(module)->getEntryBlock().getTerminator());
  entries.call(at, "field_groups",
               {table, at.getInt32(static_cast<std::uint32_t>(proxies.count()))});
}

}  // namespace bigfoot::frontend
