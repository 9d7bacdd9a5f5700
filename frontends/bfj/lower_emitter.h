// The way back from the abstract function to the text, kept while the function is built: which
// statement each instruction and edge belongs to, and what each variable is bound to where.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "analysis/ir/builder.h"
#include "frontends/bfj/lower.h"

namespace bigfoot::bfj {

class FunctionEmitter {
 public:
  explicit FunctionEmitter(std::string owner) : b_(owner) { out_.owner = std::move(owner); }
  // The emitter is spent.
  std::pair<ir::Function, LoweredFunction> finish();

 protected:
  // Variables this code does not assign are names of shared objects.
  void allow_shared_names(const std::set<std::string>& assigned) {
    assigned_in_thread_ = &assigned;
  }

  // ---- Anchors ----
  // The statement being lowered is list.stmts[index].
  void here(Block& list, std::size_t index);
  Anchor insert_at(Block& list, std::size_t index);
  Anchor after_current() const;
  std::uint32_t next_position() { return ++position_; }

  // ---- Variables ----
  void bind(const std::string& variable, const ir::LinearExpr& value, const Anchor& after);
  void close_binding(const std::string& variable);
  ir::LinearExpr value_of(const std::string& variable);

  // ---- Instructions, at the current anchor ----
  void emit(ir::Instruction instruction);
  ir::SymbolId emit_opaque(const std::string& name);
  // Notes the access the builder has just been given.
  void note_access(const Stmt& s);
  void note_check(ir::Check check);
  std::size_t instruction_count(ir::BlockId block) const;
  void terminate(ir::Terminator t, const Anchor& anchor);
  void edge(ir::BlockId from, ir::BlockId to, const Anchor& anchor) {
    raw_edges_[{from, to}] = anchor;
  }
  bool reachable() const { return !b_.terminated(); }

  ir::FunctionBuilder b_;
  LoweredFunction out_;
  std::uint32_t position_ = 0;
  Block* list_ = nullptr;
  std::size_t index_ = 0;
  Anchor anchor_;

 private:
  struct Written {
    ir::BlockId block;
    std::size_t index;
    ir::Check check;
  };

  // Instructions added since the last call belong to the current anchor.
  void note_anchors();
  // The builder renumbers blocks when it finishes.
  void rename_blocks(const ir::Function& f);

  std::map<std::string, ir::LinearExpr> env_;
  std::map<std::string, std::size_t> current_;  // variable -> open binding
  const std::set<std::string>* assigned_in_thread_ = nullptr;
  std::map<ir::BlockId, std::vector<Anchor>> raw_anchors_;
  std::map<ir::BlockId, std::size_t> counts_;
  std::map<ir::BlockId, Anchor> terminator_anchor_;
  std::map<std::pair<ir::BlockId, ir::BlockId>, Anchor> raw_edges_;
  std::vector<Written> written_;
};

}  // namespace bigfoot::bfj
