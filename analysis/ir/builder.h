// Builds a function block by block and leaves it in the form the analyses rely on.
#pragma once

#include <string>
#include <vector>

#include "analysis/ir/program.h"

namespace bigfoot::ir {

class FunctionBuilder {
 public:
  explicit FunctionBuilder(std::string name);

  BlockId new_block();
  // Instructions go to the end of this block.
  void set_block(BlockId block) { current_ = block; }
  BlockId block() const { return current_; }

  SymbolId parameter(std::string name);
  // A value that exists wherever `scope` dominates; defined by no instruction (array lengths,
  // shared names). Default: the current block, defined by an Opaque instruction.
  SymbolId pure_symbol(std::string name, BlockId scope);
  SymbolId opaque(std::string name);
  SymbolId fresh(std::string name);  // to be defined by the instruction that follows
  SymbolId phi(std::string name);
  // Records x = value for display and gives back the expression to use for x from now on: `value`
  // itself, or a new opaque symbol where it has grown out of the small linear form.
  LinearExpr define(std::string name, const LinearExpr& value);

  AccessId access(AccessKind kind, const Path& path, MemoryClass memory_class,
                  std::optional<SymbolId> result, std::optional<SymbolId> stored = {});
  void add(Instruction instruction);
  void terminate(Terminator terminator);
  bool terminated() const { return terminated_[index_of(current_)]; }
  // Adds the value a phi takes when its block is entered from `from`.
  void add_incoming(SymbolId phi, BlockId from, const LinearExpr& value);
  void hint_loop(BlockId header, bool terminates, bool watched = false);

  const Symbol& symbol(SymbolId id) const { return function_.symbol(id); }

  // Removes unreachable blocks, orders predecessors and phi operands. The builder is spent.
  Function finish();
  // After finish(): where a block went, or nothing if it could not be reached.
  std::optional<BlockId> final_id(BlockId original) const;

 private:
  struct Incoming {
    SymbolId phi;
    BlockId from;
    LinearExpr value;
  };
  SymbolId add_symbol(std::string name, BlockId scope, bool is_phi);

  Function function_;
  std::vector<bool> terminated_;
  std::vector<Incoming> incoming_;
  std::vector<BlockId> renamed_;
  BlockId current_ = kEntry;
};

}  // namespace bigfoot::ir
