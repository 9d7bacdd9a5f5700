#include "analysis/ir/builder.h"

#include <algorithm>
#include <map>

namespace bigfoot::ir {
namespace {

// Beyond this an expression helps nobody; x = x + x in a row would otherwise double it each time.
constexpr std::size_t kMaxTerms = 8;
constexpr std::int64_t kMaxCoefficient = 1 << 20;

bool is_small(const LinearExpr& e) {
  if (!e.valid() || e.terms().size() > kMaxTerms) return false;
  return std::all_of(e.terms().begin(), e.terms().end(), [](const logic::Term& t) {
    return t.coefficient <= kMaxCoefficient && t.coefficient >= -kMaxCoefficient;
  });
}

void retarget(Terminator& terminator, const std::vector<BlockId>& renamed) {
  const auto rename = [&](BlockId& id) { id = renamed[index_of(id)]; };
  if (auto* jump = std::get_if<Jump>(&terminator)) {
    rename(jump->target);
  } else if (auto* branch = std::get_if<Branch>(&terminator)) {
    rename(branch->then_block);
    rename(branch->else_block);
  } else if (auto* choice = std::get_if<Choice>(&terminator)) {
    for (BlockId& id : choice->targets) rename(id);
  }
}

}  // namespace

FunctionBuilder::FunctionBuilder(std::string name) {
  function_.name = std::move(name);
  new_block();
}

BlockId FunctionBuilder::new_block() {
  function_.blocks.emplace_back();
  terminated_.push_back(false);
  return BlockId(function_.blocks.size() - 1);
}

SymbolId FunctionBuilder::add_symbol(std::string name, BlockId scope, bool is_phi) {
  function_.symbols.push_back({std::move(name), scope, is_phi});
  return SymbolId(function_.symbols.size() - 1);
}

SymbolId FunctionBuilder::parameter(std::string name) {
  const SymbolId s = add_symbol(std::move(name), kEntry, false);
  function_.parameters.push_back(s);
  return s;
}

SymbolId FunctionBuilder::pure_symbol(std::string name, BlockId scope) {
  return add_symbol(std::move(name), scope, false);
}

SymbolId FunctionBuilder::opaque(std::string name) {
  const SymbolId s = add_symbol(std::move(name), current_, false);
  add(Opaque{s});
  return s;
}

SymbolId FunctionBuilder::fresh(std::string name) {
  return add_symbol(std::move(name), current_, false);
}

SymbolId FunctionBuilder::phi(std::string name) {
  const SymbolId s = add_symbol(std::move(name), current_, true);
  function_.blocks[index_of(current_)].phis.push_back({s, {}});
  return s;
}

LinearExpr FunctionBuilder::define(std::string name, const LinearExpr& value) {
  if (!is_small(value)) return opaque(std::move(name));
  const SymbolId s = add_symbol(std::move(name), current_, false);
  add(Define{s, value});
  return value;
}

AccessId FunctionBuilder::access(AccessKind kind, const Path& path, MemoryClass memory_class,
                                 std::optional<SymbolId> result, std::optional<SymbolId> stored) {
  const AccessId id{function_.access_count++};
  add(Access{id, kind, path, memory_class, result, stored});
  return id;
}

void FunctionBuilder::add(Instruction instruction) {
  function_.blocks[index_of(current_)].instructions.push_back(std::move(instruction));
}

void FunctionBuilder::terminate(Terminator terminator) {
  function_.blocks[index_of(current_)].terminator = std::move(terminator);
  terminated_[index_of(current_)] = true;
}

void FunctionBuilder::add_incoming(SymbolId phi, BlockId from, const LinearExpr& value) {
  incoming_.push_back({phi, from, value});
}

void FunctionBuilder::hint_loop(BlockId header, bool terminates, bool watched) {
  function_.loop_hints.push_back({header, terminates, watched});
}

Function FunctionBuilder::finish() {
  // Reachable blocks, entry first, in order of creation.
  std::vector<bool> reached(function_.blocks.size(), false);
  std::vector<BlockId> work{kEntry};
  reached[0] = true;
  while (!work.empty()) {
    const BlockId b = work.back();
    work.pop_back();
    for (BlockId s : successors(function_.block(b).terminator)) {
      if (!reached[index_of(s)]) {
        reached[index_of(s)] = true;
        work.push_back(s);
      }
    }
  }
  std::vector<BlockId> renamed(function_.blocks.size(), BlockId{UINT32_MAX});
  std::vector<Block> kept;
  for (std::size_t i = 0; i < function_.blocks.size(); ++i) {
    if (!reached[i]) continue;
    renamed[i] = BlockId(kept.size());
    kept.push_back(std::move(function_.blocks[i]));
  }
  function_.blocks = std::move(kept);
  for (std::size_t i = 0; i < function_.blocks.size(); ++i) {
    retarget(function_.blocks[i].terminator, renamed);
    for (BlockId s : successors(function_.blocks[i].terminator)) {
      auto& preds = function_.blocks[index_of(s)].predecessors;
      if (std::find(preds.begin(), preds.end(), BlockId(i)) == preds.end()) {
        preds.push_back(BlockId(i));
      }
    }
  }
  for (Symbol& s : function_.symbols) s.scope = renamed[index_of(s.scope)];
  std::erase_if(function_.loop_hints,
                [&](const LoopHint& h) { return !reached[index_of(h.header)]; });
  for (LoopHint& h : function_.loop_hints) h.header = renamed[index_of(h.header)];

  std::map<std::pair<SymbolId, BlockId>, LinearExpr> values;
  for (Incoming& in : incoming_) {
    if (reached[index_of(in.from)]) {
      values.insert_or_assign({in.phi, renamed[index_of(in.from)]}, std::move(in.value));
    }
  }
  for (Block& b : function_.blocks) {
    for (Phi& p : b.phis) {
      for (BlockId pred : b.predecessors) {
        const auto it = values.find({p.symbol, pred});
        p.incoming.push_back(it == values.end() ? LinearExpr::invalid() : it->second);
      }
    }
  }
  renamed_ = std::move(renamed);
  return std::move(function_);
}

std::optional<BlockId> FunctionBuilder::final_id(BlockId original) const {
  const BlockId id = renamed_[index_of(original)];
  if (id == BlockId{UINT32_MAX}) return std::nullopt;
  return id;
}

}  // namespace bigfoot::ir
