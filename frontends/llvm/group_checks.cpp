// Checks of fields that belong together: a call as for any other check, which asks once for the
// positions of the accesses it stands for.
#include <llvm/IR/MDBuilder.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "abi/groups.h"
#include "frontends/llvm/checks.h"
#include "frontends/llvm/proxies.h"

namespace bigfoot::frontend {
namespace {

// The site's abi::GroupSite.
llvm::GlobalVariable* site_of(const GroupCheck& check, llvm::Module& module) {
  llvm::LLVMContext& c = module.getContext();
  auto* pointer = llvm::PointerType::getUnqual(c);
  auto* word = llvm::Type::getInt32Ty(c);
  auto* byte = llvm::Type::getInt8Ty(c);
  auto* piece = llvm::StructType::get(c, {byte, byte});
  auto* pieces = llvm::ArrayType::get(piece, abi::kMaxGroupWords);
  auto* type = llvm::StructType::get(c, {pointer, pointer, pointer, word, pieces});
  std::vector<llvm::Constant*> parts(abi::kMaxGroupWords, llvm::Constant::getNullValue(piece));
  for (std::size_t i = 0; i < check.pieces.size(); ++i)
    parts[i] =
        llvm::ConstantStruct::get(piece, {llvm::ConstantInt::get(byte, check.pieces[i].offset),
                                          llvm::ConstantInt::get(byte, check.pieces[i].bytes)});
  auto* null = llvm::ConstantPointerNull::get(pointer);
  auto* initial = llvm::ConstantStruct::get(
      type, {null, null, check.group, llvm::ConstantInt::get(word, check.pieces.size()),
             llvm::ConstantArray::get(pieces, parts)});
  return run_time_data(*new llvm::GlobalVariable(
      module, type, false, llvm::GlobalValue::PrivateLinkage, initial, "bf.group_site"));
}

}  // namespace

void CheckEmitter::check(const GroupCheck& check) {
  llvm::LLVMContext& c = function_.getContext();
  llvm::GlobalVariable* site = site_of(check, *function_.getParent());
  const GroupCheck::Piece& first = check.pieces.front();
  llvm::IRBuilder<> at(check.before);
  at.SetCurrentDebugLocation(told(first.where, first.access, first.or_at));
  llvm::Value* unknown = entries_.call(at, check.writes ? "check_write_group" : "check_read_group",
                                       {check.address, site, at.getInt32(check.words)});
  llvm::Instruction* once = llvm::SplitBlockAndInsertIfThen(
      at.CreateIsNotNull(unknown), check.before->getIterator(), /*Unreachable=*/false,
      llvm::MDBuilder(c).createBranchWeights(1, (1u << 20) - 1));
  at.SetInsertPoint(once);
  for (std::size_t i = 0; i < check.pieces.size(); ++i) {
    const GroupCheck::Piece& p = check.pieces[i];
    at.SetCurrentDebugLocation(told(p.where, p.access, p.or_at));
    entries_.call(at, "group_piece", {site, at.getInt32(static_cast<std::uint32_t>(i))});
  }
  at.SetCurrentDebugLocation(told(first.where, first.access, first.or_at));
  entries_.call(at, check.writes ? "write_group" : "read_group", {check.address, site});
}

}  // namespace bigfoot::frontend
