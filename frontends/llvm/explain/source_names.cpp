#include "frontends/llvm/explain/source_names.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/DebugProgramInstruction.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/Path.h>

namespace bigfoot::frontend::explain {
namespace {

// Chains of loads and expressions longer than this say less than "a value".
constexpr int kMaxDepth = 4;

const llvm::DIType* without_qualifiers(const llvm::DIType* type) {
  while (const auto* d = llvm::dyn_cast_or_null<llvm::DIDerivedType>(type)) {
    const unsigned tag = d->getTag();
    if (tag != llvm::dwarf::DW_TAG_typedef && tag != llvm::dwarf::DW_TAG_const_type &&
        tag != llvm::dwarf::DW_TAG_volatile_type && tag != llvm::dwarf::DW_TAG_restrict_type)
      break;
    type = d->getBaseType();
  }
  return type;
}

const llvm::DIType* pointee(const llvm::DIType* type) {
  const auto* d = llvm::dyn_cast_or_null<llvm::DIDerivedType>(without_qualifiers(type));
  if (d == nullptr) return nullptr;
  const unsigned tag = d->getTag();
  const bool points = tag == llvm::dwarf::DW_TAG_pointer_type ||
                      tag == llvm::dwarf::DW_TAG_reference_type ||
                      tag == llvm::dwarf::DW_TAG_rvalue_reference_type;
  return points ? without_qualifiers(d->getBaseType()) : nullptr;
}

// The name of the member that covers `bytes` at `offset`, with `.` before each part.
std::string member_of(const llvm::DIType* type, std::uint64_t offset, std::uint64_t bytes) {
  const auto* composite = llvm::dyn_cast_or_null<llvm::DICompositeType>(without_qualifiers(type));
  if (composite == nullptr || composite->getTag() == llvm::dwarf::DW_TAG_array_type ||
      composite->getTag() == llvm::dwarf::DW_TAG_union_type)
    return {};
  for (const llvm::DINode* element : composite->getElements()) {
    const auto* m = llvm::dyn_cast<llvm::DIDerivedType>(element);
    if (m == nullptr || m->isStaticMember()) continue;
    const bool base_class = m->getTag() == llvm::dwarf::DW_TAG_inheritance;
    if (!base_class && m->getTag() != llvm::dwarf::DW_TAG_member) continue;
    const llvm::DIType* inner = without_qualifiers(m->getBaseType());
    const std::uint64_t begin = m->getOffsetInBits() / 8;
    const std::uint64_t size = inner == nullptr ? 0 : inner->getSizeInBits() / 8;
    if (offset < begin || offset + bytes > begin + size) continue;
    const std::string name = base_class || m->getName().empty() ? "" : "." + m->getName().str();
    if (offset == begin && (size == bytes || bytes == 0)) {
      if (!base_class) return name;
    }
    const std::string rest = member_of(inner, offset - begin, bytes);
    return rest.empty() ? (base_class || offset != begin ? "" : name) : name + rest;
  }
  return {};
}

std::string at_line(const char* what, const llvm::DebugLoc& where) {
  if (!where || where.getLine() == 0) return what;
  return std::string(what) + " at line " + std::to_string(where.getLine());
}

std::string parenthesised(const std::string& s) {
  return s.find(' ') == std::string::npos ? s : "(" + s + ")";
}

}  // namespace

std::string demangled(llvm::StringRef symbol) {
  return llvm::demangle(symbol.str());
}

std::string file_name(llvm::StringRef name, llvm::StringRef directory) {
  static const std::string present = [] {
    llvm::SmallString<128> path;
    (void)llvm::sys::fs::current_path(path);
    return std::string(path);
  }();
  if (llvm::sys::path::is_absolute(name) || directory.empty() || directory == present)
    return name.str();
  llvm::SmallString<128> full(directory);
  llvm::sys::path::append(full, name);
  return std::string(full);
}

Frame frame_of(const llvm::DILocation& location) {
  const llvm::DISubprogram* in = location.getScope()->getSubprogram();
  return {file_name(location.getFilename(), location.getDirectory()), location.getLine(),
          location.getColumn(),
          in == nullptr                  ? std::string()
          : in->getLinkageName().empty() ? in->getName().str()
                                         : demangled(in->getLinkageName())};
}

Position position_of(const llvm::DebugLoc& location) {
  Position frames;
  for (const llvm::DILocation* l = location.get(); l != nullptr; l = l->getInlinedAt())
    if (l->getLine() != 0) frames.push_back(frame_of(*l));
  return frames;
}

SourceNames::SourceNames(const LoweredFunction& f) : f_(f) {
  for (const llvm::Instruction& i : llvm::instructions(*f.function)) {
    for (const llvm::DbgVariableRecord& r : llvm::filterDbgVars(i.getDbgRecordRange())) {
      if (r.hasArgList() || r.getExpression()->getNumElements() != 0) continue;
      const llvm::Value* v = r.getVariableLocationOp(0);
      if (v == nullptr || llvm::isa<llvm::Constant>(v)) continue;
      // The first name wins: later ones are often parameters of inlined functions.
      variables_.try_emplace(
          v, Variable{r.getVariable()->getName().str(), r.getVariable()->getType(),
                      r.getType() == llvm::DbgVariableRecord::LocationType::Declare});
    }
  }
}

std::string SourceNames::member(const llvm::Value* base, std::int64_t offset, std::uint64_t bytes,
                                int depth) const {
  if (offset < 0) return {};
  const auto it = variables_.find(base);
  if (it == variables_.end()) return {};
  const Variable& v = it->second;
  const llvm::DIType* object = v.is_object ? v.type : pointee(v.type);
  const std::string name = member_of(object, static_cast<std::uint64_t>(offset), bytes);
  const bool scalar = llvm::isa_and_nonnull<llvm::DIBasicType, llvm::DIDerivedType>(object) &&
                      offset == 0 && object->getSizeInBits() == 8 * bytes;
  if (scalar) return v.is_object ? v.name : "*" + v.name;
  if (name.empty()) return {};
  return v.is_object ? v.name + name : value(base, depth) + "->" + name.substr(1);
}

std::string SourceNames::loaded_from(const llvm::Value* address, int depth) const {
  const auto variable = variables_.find(address);
  if (variable != variables_.end() && variable->second.is_object) return variable->second.name;
  std::int64_t offset = 0;
  const llvm::Value* base = llvm::GetPointerBaseWithConstantOffset(
      address, offset, f_.function->getParent()->getDataLayout());
  if (std::string name = member(base, offset, 8, depth + 1); !name.empty()) return name;
  if (const auto* g = llvm::dyn_cast<llvm::GlobalVariable>(base); g != nullptr && offset == 0)
    return demangled(g->getName());
  return {};
}

std::string SourceNames::value(const llvm::Value* v, int depth) const {
  const auto variable = variables_.find(v);
  if (variable != variables_.end())
    return variable->second.is_object ? "&" + variable->second.name : variable->second.name;
  if (const auto* c = llvm::dyn_cast<llvm::ConstantInt>(v))
    return std::to_string(c->getSExtValue());
  if (llvm::isa<llvm::ConstantPointerNull>(v)) return "null";
  if (const auto* g = llvm::dyn_cast<llvm::GlobalValue>(v)) return demangled(g->getName());
  if (llvm::isa<llvm::Argument, llvm::AllocaInst>(v) && v->hasName()) return v->getName().str();
  const auto* i = llvm::dyn_cast<llvm::Instruction>(v);
  if (i == nullptr || depth >= kMaxDepth) return "a value";
  if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(i)) {
    std::string name = loaded_from(load->getPointerOperand(), depth);
    return name.empty() ? at_line("what is read", i->getDebugLoc()) : name;
  }
  if (const auto* call = llvm::dyn_cast<llvm::CallBase>(i)) {
    const llvm::Function* callee = call->getCalledFunction();
    return at_line("the result", i->getDebugLoc()) +
           (callee == nullptr ? "" : " of " + demangled(callee->getName()));
  }
  return at_line("a value", i->getDebugLoc());
}

std::string SourceNames::scev(const llvm::SCEV* s, int depth) const {
  if (depth > kMaxDepth) return "...";
  const auto joined = [&](const llvm::SCEVNAryExpr& e, const char* before, const char* between,
                          const char* after) {
    std::string text;
    // ScalarEvolution puts constants first, people last.
    for (unsigned i = static_cast<unsigned>(e.getNumOperands()); i-- > 0;)
      text += (text.empty() ? "" : between) +
              (*before != '\0' ? scev(e.getOperand(i), depth + 1)
                               : parenthesised(scev(e.getOperand(i), depth + 1)));
    return before + text + after;
  };
  switch (s->getSCEVType()) {
    case llvm::scConstant:
      return std::to_string(llvm::cast<llvm::SCEVConstant>(s)->getAPInt().getSExtValue());
    case llvm::scUnknown:
      return value(llvm::cast<llvm::SCEVUnknown>(s)->getValue(), depth);
    case llvm::scTruncate:
    case llvm::scZeroExtend:
    case llvm::scSignExtend:
    case llvm::scPtrToInt:
      return scev(llvm::cast<llvm::SCEVCastExpr>(s)->getOperand(), depth);
    case llvm::scAddExpr:
      return joined(*llvm::cast<llvm::SCEVNAryExpr>(s), "", " + ", "");
    case llvm::scMulExpr:
      return joined(*llvm::cast<llvm::SCEVNAryExpr>(s), "", "*", "");
    case llvm::scSMaxExpr:
    case llvm::scUMaxExpr:
      return joined(*llvm::cast<llvm::SCEVNAryExpr>(s), "max(", ", ", ")");
    case llvm::scSMinExpr:
    case llvm::scUMinExpr:
    case llvm::scSequentialUMinExpr:
      return joined(*llvm::cast<llvm::SCEVNAryExpr>(s), "min(", ", ", ")");
    case llvm::scUDivExpr: {
      const auto* d = llvm::cast<llvm::SCEVUDivExpr>(s);
      return parenthesised(scev(d->getLHS(), depth + 1)) + "/" +
             parenthesised(scev(d->getRHS(), depth + 1));
    }
    default:
      return "...";
  }
}

std::string SourceNames::symbol(ir::SymbolId s) const {
  const SymbolSource& source = f_.symbols->source(s);
  switch (source.kind) {
    case SymbolSource::Kind::Value:
    case SymbolSource::Kind::ExitCount:
      return source.scev == nullptr ? "a value" : scev(source.scev, 0);
    case SymbolSource::Kind::Counter:
      return at_line("rounds of the loop", source.loop->getStartLoc());
    case SymbolSource::Kind::Induction:
      return at_line("distance gone by the loop", source.loop->getStartLoc());
  }
  llvm_unreachable("every kind returns");
}

std::string SourceNames::linear(const ir::LinearExpr& e) const {
  std::string text;
  const auto add = [&](std::int64_t coefficient, const std::string& what) {
    text += text.empty() ? (coefficient < 0 ? "-" : "") : (coefficient < 0 ? " - " : " + ");
    const std::string size = std::to_string(coefficient < 0 ? -coefficient : coefficient);
    if (what.empty())
      text += size;
    else
      text += size == "1" ? what : size + "*" + parenthesised(what);
  };
  for (const logic::Term& t : e.terms()) add(t.coefficient, symbol(t.symbol));
  if (e.constant() != 0 || text.empty()) add(e.constant(), "");
  return text;
}

std::string SourceNames::path(ir::SymbolId base, const ir::Range& range) const {
  const SymbolSource& source = f_.symbols->source(base);
  const auto* unknown = llvm::dyn_cast_or_null<llvm::SCEVUnknown>(source.scev);
  const llvm::Value* v = unknown == nullptr ? nullptr : unknown->getValue();
  if (const auto length = range.constant_length(); v != nullptr && range.is_constant() && length) {
    std::string name = member(v, range.begin.constant(), static_cast<std::uint64_t>(*length), 0);
    if (!name.empty()) return name;
  }
  std::string text = (v == nullptr ? "a value" : parenthesised(value(v, 0))) + "[" +
                     linear(range.begin) + " .. " + linear(range.end);
  if (!range.contiguous())
    text += " : " + std::to_string(range.step) + "/" + std::to_string(range.width);
  return text + "]";
}

}  // namespace bigfoot::frontend::explain
