#include "frontends/llvm/accessed_fields.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/Metadata.h>

#include <map>

namespace bigfoot::frontend {
namespace {

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

std::optional<Field> named_field(const llvm::Instruction& access) {
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
  return Field{name->getString().str(), offset, constant_of(*type, 2)};
}

std::vector<std::optional<Field>> accessed_fields(const LoweredFunction& f) {
  std::vector<std::optional<Field>> fields(f.accesses.size());
  // By the bytes they are at; nothing where two accesses disagree.
  std::map<ir::Path, std::optional<Field>> known;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (f.accesses[i].is_memory_intrinsic()) continue;
    fields[i] = named_field(*f.accesses[i].instruction);
    if (!fields[i]) continue;
    const auto [it, fresh] = known.try_emplace(f.paths[i], fields[i]);
    if (!fresh && it->second != fields[i]) it->second.reset();
  }
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (fields[i] || f.accesses[i].is_memory_intrinsic()) continue;
    if (const auto it = known.find(f.paths[i]); it != known.end()) fields[i] = it->second;
  }
  return fields;
}

}  // namespace bigfoot::frontend
