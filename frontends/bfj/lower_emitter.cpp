#include "frontends/bfj/lower_emitter.h"

#include <algorithm>

#include "frontends/bfj/printer.h"

namespace bigfoot::bfj {

using ir::BlockId;
using ir::LinearExpr;
using ir::SymbolId;

Anchor FunctionEmitter::insert_at(Block& list, std::size_t index) {
  return {Anchor::Kind::Insert, &list, index, next_position()};
}

void FunctionEmitter::close_binding(const std::string& variable) {
  const auto it = current_.find(variable);
  if (it == current_.end()) return;
  std::uint32_t& to = out_.bindings[it->second].to;
  to = std::min(to, position_ + 1);
}

void FunctionEmitter::bind(const std::string& variable, const LinearExpr& value,
                           const Anchor& after) {
  close_binding(variable);
  current_[variable] = out_.bindings.size();
  out_.bindings.push_back({variable, value, position_ + 1, UINT32_MAX});
  env_[variable] = value;
  if (value.is_symbol()) out_.definitions.try_emplace(value.symbol(), after, variable);
}

LinearExpr FunctionEmitter::value_of(const std::string& variable) {
  const auto it = env_.find(variable);
  if (it != env_.end()) return it->second;
  if (assigned_in_thread_ != nullptr && !assigned_in_thread_->contains(variable)) {
    const SymbolId s = b_.pure_symbol(variable, ir::kEntry);
    // Shared names are never assigned, so the binding holds everywhere.
    out_.bindings.push_back({variable, LinearExpr(s), 0, UINT32_MAX});
    return env_[variable] = LinearExpr(s);
  }
  return LinearExpr(0);  // an unassigned local is null
}

void FunctionEmitter::here(Block& list, std::size_t index) {
  list_ = &list;
  index_ = index;
  anchor_ = insert_at(list, index);
}

Anchor FunctionEmitter::after_current() const {
  Anchor a = anchor_;
  ++a.index;
  a.position = position_ + 1;
  return a;
}

void FunctionEmitter::note_anchors() {
  auto& anchors = raw_anchors_[b_.block()];
  const std::size_t count = instruction_count(b_.block());
  if (anchors.size() < count) anchors.resize(count, anchor_);
}

std::size_t FunctionEmitter::instruction_count(BlockId block) const {
  const auto it = counts_.find(block);
  return it == counts_.end() ? 0 : it->second;
}

void FunctionEmitter::emit(ir::Instruction instruction) {
  b_.add(std::move(instruction));
  ++counts_[b_.block()];
  note_anchors();
}

SymbolId FunctionEmitter::emit_opaque(const std::string& name) {
  const SymbolId s = b_.fresh(name);
  emit(ir::Opaque{s});
  return s;
}

void FunctionEmitter::terminate(ir::Terminator t, const Anchor& anchor) {
  b_.terminate(std::move(t));
  terminator_anchor_[b_.block()] = anchor;
}

void FunctionEmitter::note_access(const Stmt& s) {
  ++counts_[b_.block()];
  note_anchors();
  out_.access_stmt.push_back(&s);
  out_.access_pos.push_back(s.pos);
  out_.access_text.push_back(print_head(s));
}

void FunctionEmitter::note_check(ir::Check check) {
  written_.push_back({b_.block(), instruction_count(b_.block()), std::move(check)});
}

std::pair<ir::Function, LoweredFunction> FunctionEmitter::finish() {
  ir::Function f = b_.finish();
  rename_blocks(f);
  return {std::move(f), std::move(out_)};
}

void FunctionEmitter::rename_blocks(const ir::Function& f) {
  out_.anchors.resize(f.blocks.size());
  for (auto& [block, anchors] : raw_anchors_) {
    if (const auto id = b_.final_id(block)) out_.anchors[ir::index_of(*id)] = std::move(anchors);
  }
  for (const auto& [block, anchor] : terminator_anchor_) {
    const auto id = b_.final_id(block);
    if (!id) continue;
    auto& anchors = out_.anchors[ir::index_of(*id)];
    anchors.resize(f.block(*id).instructions.size());
    anchors.push_back(anchor);
  }
  for (const auto& [e, anchor] : raw_edges_) {
    const auto from = b_.final_id(e.first);
    const auto to = b_.final_id(e.second);
    if (from && to) out_.edge_anchors[{*from, *to}] = anchor;
  }
  for (auto it = out_.after_statement.begin(); it != out_.after_statement.end();) {
    if (const auto id = b_.final_id(it->second.point.block)) {
      it->second.point.block = *id;
      ++it;
    } else {
      it = out_.after_statement.erase(it);
    }
  }
  for (Written& w : written_) {
    if (const auto id = b_.final_id(w.block)) {
      out_.written_checks.checks.push_back(
          {ir::Point::before(*id, w.index), std::move(w.check), {}, "written"});
    }
  }
}

}  // namespace bigfoot::bfj
