// LLVM's values as the linear expressions the placement reasons about.
//
// The analysis computes with mathematical integers, the program with integers modulo 2^64. The
// bridge: every symbol stands for an integer that is congruent to the machine value modulo 2^64
// (its signed value, unless it is an exit count). Sums and constant multiples of symbols then stay
// congruent whatever overflows on the way, so a path's bytes are the machine's bytes, and a range
// of bytes that the program accesses is short enough (below 2^63) to be computed by the machine as
// well. Only inequalities need exact values; they are stated of loop counters and exit counts alone
// (loops.h), which cannot overflow.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/Dominators.h>

#include <map>
#include <optional>
#include <vector>

#include "analysis/ir/builder.h"

namespace bigfoot::frontend {

// What a symbol of the abstract program is in the function it was lowered from.
struct SymbolSource {
  enum class Kind {
    Value,      // `scev` is a SCEVUnknown, or any expression without a linear form; signed
    ExitCount,  // `scev` read as an unsigned number
    Counter,    // how often `loop`'s back edge has been taken
    Induction,  // Counter times the loop-invariant `scev`
  };
  Kind kind;
  const llvm::SCEV* scev = nullptr;
  const llvm::Loop* loop = nullptr;
};

// Where the analysis has to learn of a symbol: after an instruction, or at the start of a block.
struct Definition {
  ir::SymbolId symbol;
  llvm::BasicBlock* block;
  llvm::Instruction* after;  // null: at the block's start
};

// An integer the analysis has symbols for.
bool is_word(const llvm::SCEV* s);
// Does it change with a loop that `user` is not in?
bool outlived(const llvm::SCEV* s, const llvm::BasicBlock* user);

class Symbols {
 public:
  Symbols(llvm::Function& f, llvm::ScalarEvolution& scev, llvm::DominatorTree& dominators,
          llvm::LoopInfo& loops, ir::FunctionBuilder& builder,
          const llvm::DenseMap<const llvm::BasicBlock*, ir::BlockId>& blocks);

  struct Location {
    ir::SymbolId base;
    ir::LinearExpr offset;
  };
  // The address as base and byte offset, where it is used at `user`.
  Location location(llvm::Value* address, llvm::Instruction& user);
  // The address as a base of its own.
  ir::SymbolId base(llvm::Value* address) { return unknown(address); }
  // How many bytes a memory intrinsic touches: fewer than 2^63, so its signed value.
  ir::LinearExpr length(llvm::Value* bytes, llvm::Instruction& user);
  // An integer of at most 64 bits, modulo 2^64.
  ir::LinearExpr integer(const llvm::SCEV* s, const llvm::BasicBlock* user);
  // The value of an exit count of `loop` as a natural number.
  std::optional<ir::LinearExpr> exit_count(const llvm::SCEV* count, const llvm::Loop* loop);
  ir::LinearExpr counter(const llvm::Loop* loop);

  // What an induction of the loop (see SymbolSource) has come to when the loop has gone round
  // `count` times.
  ir::LinearExpr total(const llvm::Loop* loop, const llvm::SCEV* step, const llvm::SCEV* count);
  std::vector<std::pair<ir::LinearExpr, const llvm::SCEV*>> inductions(
      const llvm::Loop* loop) const;
  // What a branch condition says about values that matter already, on the side where it is `holds`.
  std::vector<ir::Atom> condition(const llvm::Value* v, bool holds, const llvm::BasicBlock* user);

  // Gives phis their operands; call once, after everything else has been lowered.
  void finish();
  const std::vector<Definition>& definitions() const { return definitions_; }
  // The symbol of an instruction's value, if anything mentions it.
  std::optional<ir::SymbolId> find(const llvm::Value* v) const;
  const SymbolSource& source(ir::SymbolId s) const { return sources_[logic::index_of(s)]; }

 private:
  ir::SymbolId unknown(llvm::Value* v);
  ir::SymbolId opaque(const llvm::SCEV* s);
  ir::LinearExpr add_recurrence(const llvm::SCEVAddRecExpr& r, const llvm::BasicBlock* user);
  std::optional<ir::LinearExpr> follower(llvm::PHINode& phi, const llvm::BasicBlock* user);
  bool extended_as_non_negative(const llvm::SCEV* narrow) const;
  ir::LinearExpr incoming(llvm::Value* v, llvm::Instruction& user);
  ir::LinearExpr induction(const llvm::Loop* loop, const llvm::SCEV* step);
  // The signed value itself, by rules that allow no overflow.
  ir::LinearExpr exact(const llvm::SCEV* s, const llvm::BasicBlock* user);
  std::optional<ir::LinearExpr> exact_sum(const llvm::SCEVAddExpr& s, const llvm::BasicBlock* user);
  bool at_least(const llvm::SCEV* s, std::int64_t bound, const llvm::BasicBlock* user);
  bool knows(const llvm::SCEV* s) const;
  std::vector<ir::Atom> comparison(const llvm::Value* v, bool holds, const llvm::BasicBlock* user);
  std::optional<ir::Atom> equality(const llvm::SCEV* a, const llvm::SCEV* b,
                                   const llvm::BasicBlock* user);
  ir::Atom inequality(const llvm::SCEV* a, const llvm::SCEV* b, const llvm::BasicBlock* user);
  ir::SymbolId note(ir::SymbolId s, SymbolSource source);
  ir::SymbolId define_at(Definition where, SymbolSource source, const char* name);
  Definition deepest_operand(const llvm::SCEV* s);

  llvm::Function& function_;
  llvm::ScalarEvolution& scev_;
  llvm::DominatorTree& dominators_;
  llvm::LoopInfo& loops_;
  ir::FunctionBuilder& builder_;
  const llvm::DenseMap<const llvm::BasicBlock*, ir::BlockId>& blocks_;

  std::vector<SymbolSource> sources_;
  std::vector<Definition> definitions_;
  llvm::DenseMap<const llvm::Value*, ir::SymbolId> of_value_;
  llvm::DenseMap<const llvm::SCEV*, ir::SymbolId> of_expression_, of_exit_count_;
  llvm::DenseMap<const llvm::Loop*, ir::SymbolId> of_loop_;
  llvm::DenseMap<std::pair<const llvm::Loop*, const llvm::SCEV*>, ir::SymbolId> of_induction_;
  std::map<std::pair<const llvm::Loop*, std::pair<const llvm::SCEV*, const llvm::SCEV*>>,
           ir::SymbolId>
      of_total_;
  std::vector<std::pair<llvm::PHINode*, ir::SymbolId>> unfinished_phis_;
};

}  // namespace bigfoot::frontend
