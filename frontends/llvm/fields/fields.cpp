#include "frontends/llvm/fields/fields.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/DebugProgramInstruction.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Support/Path.h>

#include <vector>

#include "abi/fields.h"
#include "frontends/llvm/compat.h"

namespace bigfoot::frontend {
namespace {

using llvm::DIType;

// Chains of loads and steps that are longer end in a name rarely.
constexpr int kMaxDepth = 8;

bool has_types(const llvm::Module& module) {
  return llvm::any_of(module.debug_compile_units(), [](const llvm::DICompileUnit* unit) {
    return unit->getEmissionKind() == llvm::DICompileUnit::FullDebug;
  });
}

// The address of a load or store, or of an atomic operation.
const llvm::Value* address_of(const llvm::Instruction& access) {
  if (const llvm::Value* address = llvm::getLoadStorePointerOperand(&access)) return address;
  if (const auto* rmw = llvm::dyn_cast<llvm::AtomicRMWInst>(&access))
    return rmw->getPointerOperand();
  if (const auto* exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&access))
    return exchange->getPointerOperand();
  return nullptr;
}

llvm::Type* type_of(const llvm::Instruction& access) {
  if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&access))
    return store->getValueOperand()->getType();
  if (const auto* exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&access))
    return exchange->getNewValOperand()->getType();
  return access.getType();
}

std::string place(const llvm::DILocation& l) {
  llvm::SmallString<128> file = l.getFilename();
  if (!llvm::sys::path::is_absolute(file) && !l.getDirectory().empty()) {
    file = l.getDirectory();
    llvm::sys::path::append(file, l.getFilename());
  }
  return (file + ":" + llvm::Twine(l.getLine()) + ":" + llvm::Twine(l.getColumn())).str();
}

// A text as the assembler wants it.
void add_quoted(llvm::StringRef text, std::string& to) {
  to += '"';
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7f && c != '"' && c != '\\') {
      to += c;
      continue;
    }
    to += '\\';
    for (int shift = 6; shift >= 0; shift -= 3)
      to += static_cast<char>('0' + ((byte >> shift) & 7));
  }
  to += '"';
}

}  // namespace

Fields::Fields(llvm::Module& module) : module_(module), layout_(module.getDataLayout()) {
  if (has_types(module)) types_.emplace(module);
}

llvm::DebugLoc Fields::at(const llvm::DebugLoc& where, const llvm::Instruction* access,
                          llvm::ArrayRef<llvm::DebugLoc> or_at) {
  const llvm::DILocation* location = where.get();
  if (location == nullptr || (!types_ && or_at.empty())) return where;
  std::string text = access == nullptr ? std::string() : name_of(*access);
  for (const llvm::DebugLoc& other : or_at) text += abi::kOtherPlace + place(*other);
  std::uint32_t number = 0;
  if (!text.empty()) {
    number = abi::field_number(text.data(), text.size());
    names_.insert(text);
  }
  if (location->getDiscriminator() == number) return where;
  return location->cloneWithDiscriminator(number);
}

std::optional<Fields::Object> Fields::object_of(const llvm::Function& f,
                                                const llvm::Value* address) {
  if (!types_) return std::nullopt;
  enter(f);
  const std::optional<Place> place = place_of(address, 0);
  return place ? std::optional(Object{place->object, place->offset}) : std::nullopt;
}

std::string Fields::name_of(const llvm::Instruction& access) {
  if (!types_ || address_of(access) == nullptr) return {};
  const llvm::TypeSize size = layout_.getTypeStoreSize(type_of(access));
  if (size.isScalable()) return {};
  enter(*access.getFunction());
  const std::optional<Member> member = member_of(access, size.getFixedValue(), 0);
  return member ? types_->name_of(*member) : std::string();
}

std::optional<Member> Fields::member_of(const llvm::Instruction& access, std::uint64_t bytes,
                                        int depth) {
  if (auto member = by_metadata(access, bytes)) return member;
  const std::optional<Place> place = place_of(address_of(access), depth);
  if (!place) return std::nullopt;
  if (auto member = types_->member_at(place->object, place->offset, bytes)) return member;
  return place->member;
}

// The tag of an access is (type around it, type of the access, offset); of one that is no part of a
// larger type the first two are the same.
std::optional<Member> Fields::by_metadata(const llvm::Instruction& access, std::uint64_t bytes) {
  const llvm::MDNode* tag = access.getMetadata(llvm::LLVMContext::MD_tbaa);
  if (tag == nullptr || tag->getNumOperands() < 3 || tag->getOperand(0) == tag->getOperand(1))
    return std::nullopt;
  const auto* around = llvm::dyn_cast<llvm::MDNode>(tag->getOperand(0));
  const auto* offset = llvm::mdconst::dyn_extract<llvm::ConstantInt>(tag->getOperand(2));
  if (around == nullptr || offset == nullptr || around->getNumOperands() == 0) return std::nullopt;
  const auto* name = llvm::dyn_cast<llvm::MDString>(around->getOperand(0));
  if (name == nullptr) return std::nullopt;
  return types_->member_at(types_->mangled(name->getString()), offset->getZExtValue(), bytes);
}

std::optional<Fields::Place> Fields::place_of(const llvm::Value* address, int depth) {
  if (address == nullptr || depth > kMaxDepth) return std::nullopt;
  address = address->stripPointerCasts();
  if (const auto* gep = llvm::dyn_cast<llvm::GEPOperator>(address))
    if (auto place = step(*gep, depth + 1)) return place;
  if (const DIType* object = object_of_variable(address)) return Place{object};
  if (const DIType* object = pointee_of_value(address, depth)) return Place{object};
  return std::nullopt;
}

std::optional<Fields::Place> Fields::step(const llvm::GEPOperator& step, int depth) {
  if (auto place = into_struct(step)) return place;
  compat::Strides strides;
  llvm::APInt constant(64, 0);
  if (!step.collectOffset(layout_, 64, strides, constant) || constant.isNegative())
    return std::nullopt;
  std::optional<Place> place = place_of(step.getPointerOperand(), depth);
  // Only steps that the source makes: the optimiser may have moved constants from one to another.
  if (!strides.empty() && !step.isInBounds()) return std::nullopt;
  for (const auto& [index, stride] : strides) {
    if (!place || stride.isNonPositive()) return std::nullopt;
    place = into_array(*place, stride.getZExtValue());
  }
  if (!place) return std::nullopt;
  place->offset += constant.getZExtValue();
  // A step in a further dimension stays in the array.
  if (place->member) place->offset %= bytes_of(place->object);
  // Beyond its end is the next element, or what a cast knows of.
  if (place->offset >= bytes_of(place->object)) return std::nullopt;
  return place;
}

// A step from a struct to its member, whose name IR has; wherever the struct is.
std::optional<Fields::Place> Fields::into_struct(const llvm::GEPOperator& step) {
  auto* type = llvm::dyn_cast<llvm::StructType>(step.getSourceElementType());
  if (type == nullptr || step.getNumIndices() < 2) return std::nullopt;
  const llvm::DICompositeType* record = types_->of(*type);
  if (record == nullptr) return std::nullopt;
  llvm::SmallVector<llvm::Value*, 4> indices(step.idx_begin(), step.idx_end());
  indices[0] = llvm::ConstantInt::get(indices[0]->getType(), 0);
  if (!llvm::all_of(indices, [](llvm::Value* i) { return llvm::isa<llvm::ConstantInt>(i); }))
    return std::nullopt;
  const std::int64_t offset = layout_.getIndexedOffsetInType(type, indices);
  return offset < 0 ? std::nullopt
                    : std::optional(Place{record, static_cast<std::uint64_t>(offset), {}});
}

// Some element of the array that the place is in; of an array that nothing is known of, if the
// place is one of its elements.
std::optional<Fields::Place> Fields::into_array(const Place& from, std::uint64_t stride) const {
  if (from.offset == 0 && bytes_of(from.object) == stride) return from;
  if (const DIType* element = element_of(from.object)) {
    const std::uint64_t size = bytes_of(element);
    if (size == 0 || stride % size != 0) return std::nullopt;
    return Place{element, from.offset % size, from.member};
  }
  // An array that is a member: any of its bytes will do to find it.
  std::optional<Member> member = types_->member_at(from.object, from.offset, 1);
  const std::uint64_t size = member && member->array ? bytes_of(member->type) : 0;
  if (size == 0 || stride % size != 0) return std::nullopt;
  return Place{member->type, 0, member};
}

const DIType* Fields::object_of_variable(const llvm::Value* address) {
  if (const auto* g = llvm::dyn_cast<llvm::GlobalVariable>(address)) {
    llvm::SmallVector<llvm::DIGlobalVariableExpression*, 1> variables;
    g->getDebugInfo(variables);
    return variables.size() == 1 && variables[0]->getExpression()->getNumElements() == 0
               ? plain_type(variables[0]->getVariable()->getType())
               : nullptr;
  }
  return objects_.lookup(address);
}

const DIType* Fields::pointee_of_value(const llvm::Value* pointer, int depth) {
  if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(pointer)) {
    const llvm::Value* from = load->getPointerOperand();
    if (auto member = member_of(*load, layout_.getPointerSize(), depth + 1))
      return pointee(member->type);
    if (const auto place = place_of(from, depth + 1); place && place->offset == 0)
      if (const DIType* type = pointee(place->object)) return type;
  }
  if (const auto* call = llvm::dyn_cast<llvm::CallBase>(pointer)) {
    const llvm::Function* callee = call->getCalledFunction();
    if (callee != nullptr && callee->getSubprogram() != nullptr) {
      const llvm::DITypeRefArray types = callee->getSubprogram()->getType()->getTypeArray();
      if (types.size() != 0)
        if (const DIType* type = pointee(types[0])) return type;
    }
  }
  return pointees_.lookup(pointer);
}

void Fields::enter(const llvm::Function& f) {
  if (function_ == &f) return;
  function_ = &f;
  objects_.clear();
  pointees_.clear();
  const auto say = [](auto& map, const llvm::Value* v, const DIType* type) {
    const auto [known, fresh] = map.try_emplace(v, type);
    if (!fresh && known->second != type) known->second = nullptr;
  };
  for (const llvm::Instruction& i : llvm::instructions(f)) {
    for (const llvm::DbgVariableRecord& r : llvm::filterDbgVars(i.getDbgRecordRange())) {
      if (r.hasArgList() || r.getExpression()->getNumElements() != 0) continue;
      const llvm::Value* v = r.getVariableLocationOp(0);
      const DIType* type = plain_type(r.getVariable()->getType());
      if (v == nullptr || llvm::isa<llvm::Constant>(v) || type == nullptr) continue;
      if (r.getType() == llvm::DbgVariableRecord::LocationType::Declare)
        say(objects_, v, type);
      else if (const DIType* object = pointee(type))
        say(pointees_, v, object);
    }
  }
}

void Fields::write_names() {
  if (names_.empty()) return;
  std::vector<llvm::StringRef> sorted;
  for (const auto& entry : names_) sorted.push_back(entry.getKey());
  llvm::sort(sorted);
  // Not loaded ("a" is missing), mergeable texts.
  std::string text = std::string(".pushsection ") + abi::kFieldSection + ",\"MS\",@progbits,1\n";
  for (const llvm::StringRef name : sorted) {
    text += ".asciz ";
    add_quoted(name, text);
    text += '\n';
  }
  module_.appendModuleInlineAsm(text + ".popsection\n");
}

}  // namespace bigfoot::frontend
