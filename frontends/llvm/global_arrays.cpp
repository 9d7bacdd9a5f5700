#include "frontends/llvm/global_arrays.h"

#include <optional>
#include <string>

#include "frontends/llvm/entry_points.h"

namespace bigfoot::frontend {
namespace {

// The attribute of constructors that the pass is still to come to; its value is an abi::UseArrays.
constexpr const char* kToAnnounce = "bigfoot-arrays";

// Elements of one type, side by side.
struct Uniform {
  llvm::Type* element;
  std::uint64_t count;
};

// Rows of a matrix are no elements. Neither are the parts of a global that is initialised in part,
// which clang writes as an unnamed struct: <{ [10 x i32], [990 x i32] }>.
std::optional<Uniform> as_elements(llvm::Type* type) {
  if (auto* array = llvm::dyn_cast<llvm::ArrayType>(type)) {
    const std::optional<Uniform> row = as_elements(array->getElementType());
    if (!row) return Uniform{array->getElementType(), array->getNumElements()};
    return Uniform{row->element, row->count * array->getNumElements()};
  }
  auto* parts = llvm::dyn_cast<llvm::StructType>(type);
  if (parts == nullptr || !parts->isLiteral() || !parts->isPacked() || parts->getNumElements() == 0)
    return Uniform{type, 1};
  Uniform all{nullptr, 0};
  for (llvm::Type* part : parts->elements()) {
    const std::optional<Uniform> some = as_elements(part);
    if (!some || (all.element != nullptr && some->element != all.element)) return std::nullopt;
    all = {some->element, all.count + some->count};
  }
  return all;
}

struct Part {
  std::uint64_t offset, bytes;
};

// The arrays in a value of the type: all of it, or what its elements and fields have.
void find_arrays(llvm::Type* type, const llvm::DataLayout& layout, std::uint64_t offset,
                 llvm::SmallVectorImpl<Part>& found) {
  const std::uint64_t bytes = layout.getTypeAllocSize(type);
  if (bytes < abi::kMinArrayBytes) return;
  const std::optional<Uniform> elements = as_elements(type);
  if (elements && elements->count >= abi::kMinArrayElements) {
    found.push_back({offset, bytes});
  } else if (auto* array = llvm::dyn_cast<llvm::ArrayType>(type)) {
    const std::uint64_t step = layout.getTypeAllocSize(array->getElementType());
    for (std::uint64_t i = 0; i < array->getNumElements(); ++i)
      find_arrays(array->getElementType(), layout, offset + i * step, found);
  } else if (auto* fields = llvm::dyn_cast<llvm::StructType>(type)) {
    const llvm::StructLayout& at = *layout.getStructLayout(fields);
    for (unsigned i = 0; i < fields->getNumElements(); ++i)
      find_arrays(fields->getElementType(i), layout, offset + at.getElementOffset(i), found);
  }
}

// Memory of the program that every thread sees at the same address. To name a global in the table
// keeps it in the program, though nothing else may: so nothing is named that needs others to be
// linked, and nothing that may be discarded as a copy under a name of its own.
bool may_be_named(const llvm::GlobalVariable& g) {
  if (g.isDeclarationForLinker() || g.isConstant() || g.isThreadLocal() || g.getAddressSpace() != 0)
    return false;
  if (g.getName().starts_with("llvm.") || g.getName().starts_with("bf.")) return false;
  if (g.hasLocalLinkage() && g.hasComdat()) return false;
  return !g.getInitializer()->needsRelocation();
}

void announce_global_arrays(llvm::Module& module, EntryPoints& entries, llvm::IRBuilder<>& at) {
  const llvm::DataLayout& layout = module.getDataLayout();
  llvm::LLVMContext& c = module.getContext();
  auto* word = llvm::Type::getInt64Ty(c);
  auto* entry = llvm::StructType::get(c, {llvm::PointerType::getUnqual(c), word});
  llvm::SmallVector<llvm::Constant*> table;
  for (llvm::GlobalVariable& g : module.globals()) {
    if (!may_be_named(g)) continue;
    llvm::SmallVector<Part> arrays;
    find_arrays(g.getValueType(), layout, 0, arrays);
    for (const Part& a : arrays) {
      llvm::Constant* begin = llvm::ConstantExpr::getInBoundsGetElementPtr(
          llvm::Type::getInt8Ty(c), &g, llvm::ConstantInt::get(word, a.offset));
      table.push_back(
          llvm::ConstantStruct::get(entry, {begin, llvm::ConstantInt::get(word, a.bytes)}));
    }
  }
  if (table.empty()) return;
  auto* type = llvm::ArrayType::get(entry, table.size());
  auto* arrays =
      new llvm::GlobalVariable(module, type, true, llvm::GlobalValue::PrivateLinkage,
                               llvm::ConstantArray::get(type, table), "bf.global_arrays");
  entries.call(at, "global_arrays",
               {arrays, at.getInt32(static_cast<std::uint32_t>(table.size()))});
}

}  // namespace

void let_arrays_be_announced(llvm::Function& constructor, abi::UseArrays when) {
  constructor.addFnAttr(kToAnnounce, std::to_string(when));
}

llvm::PreservedAnalyses ArraysPass::run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
  llvm::SmallVector<llvm::Function*> constructors;
  for (llvm::Function& f : module)
    if (f.hasFnAttribute(kToAnnounce)) constructors.push_back(&f);
  if (constructors.empty()) return llvm::PreservedAnalyses::all();
  EntryPoints entries(module);
  for (llvm::Function* constructor : constructors) {
    const auto when =
        static_cast<std::uint32_t>(constructor->getFnAttributeAsParsedInteger(kToAnnounce));
    constructor->removeFnAttr(kToAnnounce);
    llvm::IRBuilder<> at(constructor->getEntryBlock().getTerminator());
    entries.call(at, "use_arrays", {at.getInt32(when)});
    if (constructor == constructors.front()) announce_global_arrays(module, entries, at);
  }
  return llvm::PreservedAnalyses::none();
}

}  // namespace bigfoot::frontend
