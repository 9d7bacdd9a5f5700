// Positions, values and paths in the words of the source, as far as debug information has them.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/DebugLoc.h>

#include "frontends/llvm/explain/record.h"
#include "frontends/llvm/lower/lowering.h"

namespace bigfoot::frontend::explain {

// As the compiler was told, if the name means the same in the present folder: a file that is linked
// may have been compiled in another one.
std::string file_name(llvm::StringRef name, llvm::StringRef directory);
Frame frame_of(const llvm::DILocation& location);
Position position_of(const llvm::DebugLoc& location);
std::string demangled(llvm::StringRef symbol);

class SourceNames {
 public:
  explicit SourceNames(const LoweredFunction& f);

  // `a[0 .. 8*n]`, `p->x`: see docs/explain-format.md.
  std::string path(ir::SymbolId base, const ir::Range& range) const;

 private:
  struct Variable {
    std::string name;
    const llvm::DIType* type;
    bool is_object;  // the value is the variable's address, not its value
  };

  std::string value(const llvm::Value* v, int depth) const;
  std::string loaded_from(const llvm::Value* address, int depth) const;
  std::string scev(const llvm::SCEV* s, int depth) const;
  std::string symbol(ir::SymbolId s) const;
  std::string linear(const ir::LinearExpr& e) const;
  // The member of what `base` points to at this offset and size (0: any size); empty if unknown.
  std::string member(const llvm::Value* base, std::int64_t offset, std::uint64_t bytes,
                     int depth) const;

  const LoweredFunction& f_;
  llvm::DenseMap<const llvm::Value*, Variable> variables_;
};

}  // namespace bigfoot::frontend::explain
