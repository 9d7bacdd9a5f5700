#include "frontends/llvm/fields/debug_types.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/DebugProgramInstruction.h>
#include <llvm/IR/DerivedTypes.h>
#include <llvm/IR/InstIterator.h>

#include <algorithm>

namespace bigfoot::frontend {
namespace {

using llvm::DICompositeType;
using llvm::DIDerivedType;
using llvm::DIType;
using llvm::StringRef;

const DICompositeType* record_of(const DIType* type) {
  const auto* c = llvm::dyn_cast_or_null<DICompositeType>(type);
  if (c == nullptr || c->isForwardDecl()) return nullptr;
  const unsigned tag = c->getTag();
  return tag == llvm::dwarf::DW_TAG_structure_type || tag == llvm::dwarf::DW_TAG_class_type
             ? c
             : nullptr;
}

// A part of a record's bytes: a member or a base class with a fixed place.
const DIDerivedType* part(const llvm::DINode* element) {
  const auto* m = llvm::dyn_cast_or_null<DIDerivedType>(element);
  if (m == nullptr || m->isStaticMember()) return nullptr;
  if (m->getTag() == llvm::dwarf::DW_TAG_inheritance)
    return (m->getFlags() & llvm::DINode::FlagVirtual) != 0 ? nullptr : m;
  return m->getTag() == llvm::dwarf::DW_TAG_member ? m : nullptr;
}

// Empty classes share their byte with others.
bool has_bytes(const DIType* type) {
  const DICompositeType* r = record_of(type);
  return r == nullptr || llvm::any_of(r->getElements(), [](const llvm::DINode* e) {
           const DIDerivedType* m = part(e);
           return m != nullptr && has_bytes(plain_type(m->getBaseType()));
         });
}

// The name with the scopes around it; empty if a type around it has none.
std::string qualified(const llvm::DIScope& scope) {
  std::string name = scope.getName().str();
  if (name.empty()) {
    if (!llvm::isa<llvm::DINamespace>(scope)) return {};
    name = "(anonymous namespace)";
  }
  const llvm::DIScope* around = scope.getScope();
  while (const auto* block = llvm::dyn_cast_or_null<llvm::DILexicalBlockBase>(around))
    around = block->getScope();
  if (around == nullptr || llvm::isa<llvm::DIFile, llvm::DICompileUnit>(around)) return name;
  const std::string outer = qualified(*around);
  return outer.empty() ? outer : outer + "::" + name;
}

}  // namespace

const DIType* plain_type(const DIType* type) {
  while (const auto* d = llvm::dyn_cast_or_null<DIDerivedType>(type)) {
    const unsigned tag = d->getTag();
    if (tag != llvm::dwarf::DW_TAG_typedef && tag != llvm::dwarf::DW_TAG_const_type &&
        tag != llvm::dwarf::DW_TAG_volatile_type && tag != llvm::dwarf::DW_TAG_restrict_type &&
        tag != llvm::dwarf::DW_TAG_atomic_type)
      break;
    type = d->getBaseType();
  }
  return type;
}

const DIType* pointee(const DIType* type) {
  const auto* d = llvm::dyn_cast_or_null<DIDerivedType>(plain_type(type));
  if (d == nullptr) return nullptr;
  const unsigned tag = d->getTag();
  const bool points = tag == llvm::dwarf::DW_TAG_pointer_type ||
                      tag == llvm::dwarf::DW_TAG_reference_type ||
                      tag == llvm::dwarf::DW_TAG_rvalue_reference_type;
  return points ? plain_type(d->getBaseType()) : nullptr;
}

const DIType* element_of(const DIType* type) {
  const DIType* element = nullptr;
  for (const auto* a = llvm::dyn_cast_or_null<DICompositeType>(type);
       a != nullptr && a->getTag() == llvm::dwarf::DW_TAG_array_type;
       a = llvm::dyn_cast_or_null<DICompositeType>(element))
    element = plain_type(a->getBaseType());
  return element;
}

std::uint64_t bytes_of(const DIType* type) {
  return type == nullptr ? 0 : type->getSizeInBits() / 8;
}

bool is_union(const DIType* type) {
  const auto* c = llvm::dyn_cast_or_null<DICompositeType>(type);
  return c != nullptr && c->getTag() == llvm::dwarf::DW_TAG_union_type;
}

namespace {

void add_divided(const DIType* type, std::uint64_t begin, std::uint64_t end,
                 std::vector<PartOfRecord>& to) {
  const std::uint64_t size = bytes_of(type);
  if (type == nullptr || begin >= end || (begin == 0 && end >= size)) return;
  if (const DIType* element = element_of(type)) {
    const std::uint64_t step = bytes_of(element);
    if (step == 0) return;
    // Elements in the middle are meant as a whole.
    const std::uint64_t first = begin / step * step, last = (end - 1) / step * step;
    add_divided(element, begin - first, std::min(end - first, step), to);
    if (last != first) add_divided(element, 0, end - last, to);
    return;
  }
  const DICompositeType* record = record_of(type);
  if (record != nullptr || is_union(type))
    to.push_back({llvm::cast<DICompositeType>(type), begin, end});
  if (record == nullptr) return;
  for (const llvm::DINode* e : record->getElements()) {
    const DIDerivedType* m = part(e);
    if (m == nullptr || m->isBitField()) continue;
    const DIType* inner = plain_type(m->getBaseType());
    const std::uint64_t from = m->getOffsetInBits() / 8, to_byte = from + bytes_of(inner);
    if (begin < to_byte && from < end)
      add_divided(inner, std::max(begin, from) - from, std::min(end, to_byte) - from, to);
  }
}

}  // namespace

std::vector<PartOfRecord> divided_by(const DIType* type, std::uint64_t begin, std::uint64_t end) {
  std::vector<PartOfRecord> all;
  add_divided(plain_type(type), begin, end, all);
  return all;
}

std::string members_at(const DICompositeType& record, std::uint64_t byte) {
  std::string names;
  for (const llvm::DINode* e : record.getElements()) {
    const DIDerivedType* m = part(e);
    if (m == nullptr || m->getName().empty()) continue;
    const std::uint64_t begin = m->getOffsetInBits() / 8;
    if (begin <= byte && byte < begin + bytes_of(plain_type(m->getBaseType())))
      names += (names.empty() ? "" : "|") + m->getName().str();
  }
  return names;
}

bool TypeIndex::has_name(const DICompositeType& record) const {
  return !record.getName().empty() || aliases_.contains(&record);
}

std::string TypeIndex::name_of(const DICompositeType& type) const {
  const auto alias = aliases_.find(&type);
  return qualified(alias == aliases_.end() ? type : *alias->second);
}

std::string TypeIndex::name_of(const Member& member) const {
  const std::string owner = name_of(*member.owner);
  return owner.empty() ? owner : owner + "::" + member.path;
}

std::optional<Member> TypeIndex::member_at(const DIType* type, std::uint64_t offset,
                                           std::uint64_t bytes) const {
  const DICompositeType* record = record_of(type);
  if (record == nullptr) return std::nullopt;
  std::optional<Member> found;
  for (const llvm::DINode* e : record->getElements()) {
    const DIDerivedType* m = part(e);
    if (m == nullptr || !has_bytes(plain_type(m->getBaseType()))) continue;
    const std::uint64_t bits =
        m->isBitField() ? m->getSizeInBits() : 8 * bytes_of(plain_type(m->getBaseType()));
    const std::uint64_t begin = m->getOffsetInBits() / 8;
    const std::uint64_t end = (m->getOffsetInBits() + bits + 7) / 8;
    if (offset >= end || begin >= offset + bytes) continue;
    // A bit-field is accessed by the bytes around it.
    const bool holds = begin <= offset && offset + bytes <= end;
    if (!holds && !m->isBitField()) return std::nullopt;
    std::optional<Member> here = inside(*record, *m, offset < begin ? 0 : offset - begin, bytes);
    if (!here) continue;  // a base class's padding, where the record may go on
    if (found) return std::nullopt;
    found = std::move(here);
  }
  return found;
}

// The bytes [offset, offset + bytes) of one part of a record.
std::optional<Member> TypeIndex::inside(const DICompositeType& owner, const DIDerivedType& part,
                                        std::uint64_t offset, std::uint64_t bytes) const {
  const DIType* type = plain_type(part.getBaseType());
  const DIType* element = element_of(type);
  if (element != nullptr) type = element;
  const std::uint64_t size = bytes_of(type);
  std::optional<Member> deeper;
  if (size != 0) deeper = member_at(type, offset % size, bytes);
  if (part.getTag() == llvm::dwarf::DW_TAG_inheritance) return deeper;
  if (deeper && has_name(*deeper->owner)) return deeper;
  const std::string name = part.getName().str();
  if (deeper)
    return Member{&owner, name.empty() ? deeper->path : name + "." + deeper->path, deeper->type,
                  deeper->array};
  if (name.empty()) return std::nullopt;
  return Member{&owner, name, type, element != nullptr};
}

TypeIndex::TypeIndex(const llvm::Module& module) : layout_(module.getDataLayout()) {
  for (const llvm::DICompileUnit* unit : module.debug_compile_units())
    for (const llvm::DIScope* type : unit->getRetainedTypes()) visit(type);
  llvm::SmallVector<llvm::DIGlobalVariableExpression*, 1> variables;
  for (const llvm::GlobalVariable& g : module.globals()) {
    variables.clear();
    g.getDebugInfo(variables);
    for (const llvm::DIGlobalVariableExpression* v : variables) visit(v->getVariable()->getType());
  }
  for (const llvm::Function& f : module) {
    if (f.getSubprogram() == nullptr) continue;
    visit(f.getSubprogram()->getType());
    for (const llvm::Instruction& i : llvm::instructions(f))
      for (const llvm::DbgVariableRecord& r : llvm::filterDbgVars(i.getDbgRecordRange()))
        visit(r.getVariable()->getType());
  }
  seen_.clear();
}

// Types are deep, so the way goes by a list and not by calls.
void TypeIndex::visit(const llvm::Metadata* node) {
  llvm::SmallVector<const llvm::Metadata*, 32> waiting{node};
  while (!waiting.empty()) {
    const llvm::Metadata* next = waiting.pop_back_val();
    if (next == nullptr || !seen_.insert(next).second) continue;
    if (const auto* d = llvm::dyn_cast<DIDerivedType>(next)) {
      waiting.push_back(d->getBaseType());
      const DICompositeType* record = record_of(d->getBaseType());
      if (d->getTag() == llvm::dwarf::DW_TAG_typedef && record != nullptr &&
          record->getName().empty() && aliases_.try_emplace(record, d).second)
        add(*record, *d);
    } else if (const auto* s = llvm::dyn_cast<llvm::DISubroutineType>(next)) {
      for (const DIType* t : s->getTypeArray()) waiting.push_back(t);
    } else if (const auto* c = llvm::dyn_cast<DICompositeType>(next)) {
      if (record_of(c) != nullptr && !c->getName().empty()) add(*c, *c);
      waiting.push_back(c->getBaseType());
      for (const llvm::DINode* e : c->getElements())
        if (llvm::isa_and_nonnull<DIType>(e)) waiting.push_back(e);
    }
  }
}

void TypeIndex::add(const DICompositeType& record, const DIType& named) {
  const auto enter = [&](auto& index, StringRef key) {
    const auto [known, fresh] = index.try_emplace(key, &record);
    if (!fresh && known->second != &record) known->second = nullptr;
  };
  if (!record.getIdentifier().empty()) enter(by_identifier_, record.getIdentifier());
  // Arguments of templates are spelt in several ways, and not at all in IR.
  const std::string name = qualified(named);
  if (!name.empty() && name.find('<') == std::string::npos) enter(by_name_, name);
}

const DICompositeType* TypeIndex::mangled(StringRef name) const {
  if (const auto it = by_identifier_.find(name); it != by_identifier_.end()) return it->second;
  // Types that other files do not see have no identifier.
  const std::string plain = llvm::demangle(name.str());
  StringRef rest = plain;
  rest.consume_front("typeinfo name for ");
  return by_name_.lookup(rest);
}

const DICompositeType* TypeIndex::of(llvm::StructType& type) const {
  if (!type.hasName() || !type.isSized()) return nullptr;
  StringRef name = type.getName();
  if (!name.consume_front("struct.") && !name.consume_front("class.")) return nullptr;
  const auto [front, number] = name.rsplit('.');
  const bool numbered = !number.empty() && llvm::all_of(number, llvm::isDigit);
  const DICompositeType* found = by_name_.lookup(numbered ? front : name);
  // Two types of one name, of which debug information has only the other one.
  if (found != nullptr && layout_.getTypeAllocSize(&type) != bytes_of(found)) return nullptr;
  return found;
}

}  // namespace bigfoot::frontend
