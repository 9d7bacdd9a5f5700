#include "analysis/ir/alias.h"

#include <algorithm>
#include <optional>
#include <set>

#include "analysis/ir/cfg.h"

namespace bigfoot::ir {
namespace {

// A place in memory and what it is known to hold.
struct Loaded {
  MemoryClass memory_class;
  SymbolId value;
};
using Available = std::map<Path, Loaded>;
constexpr std::size_t kMaxAvailable = 256;

class AliasPass {
 public:
  AliasPass(const Function& f, const std::function<Effects(const Instruction&)>& effects)
      : cfg_(f), effects_(effects) {
    out_.function = f;
  }

  AliasedFunction run() {
    const std::size_t n = out_.function.blocks.size();
    exits_.resize(n);
    find_loop_effects();
    for (BlockId b : cfg_.order()) {
      Available state = b == kEntry ? Available{} : entering(b);
      rewrite_block(b, state);
      exits_[index_of(b)] = std::move(state);
    }
    rewrite_phis();
    return std::move(out_);
  }

 private:
  // ---- Renaming ----

  SymbolId renamed(SymbolId s) const {
    const auto it = out_.same_as.find(s);
    return it == out_.same_as.end() ? s : it->second;
  }
  LinearExpr renamed(const LinearExpr& e) const {
    std::vector<std::pair<SymbolId, LinearExpr>> values;
    for (const auto& t : e.terms()) {
      if (renamed(t.symbol) != t.symbol) values.emplace_back(t.symbol, renamed(t.symbol));
    }
    if (values.empty()) return e;
    return e.substitute([&](SymbolId s) -> const LinearExpr* {
      for (const auto& [symbol, value] : values) {
        if (symbol == s) return &value;
      }
      return nullptr;
    });
  }

  void rewrite_block(BlockId b, Available& state) {
    Block& block = out_.function.blocks[index_of(b)];
    for (Instruction& instruction : block.instructions) {
      const Effects e = effects_(instruction);
      if (auto* a = std::get_if<Access>(&instruction)) {
        a->path.base = renamed(a->path.base);
        a->path.range.begin = renamed(a->path.range.begin);
        a->path.range.end = renamed(a->path.range.end);
        if (a->result) read(*a, state);
        if (a->stored) a->stored = renamed(*a->stored);
      } else if (auto* c = std::get_if<Call>(&instruction)) {
        if (c->receiver) c->receiver = renamed(*c->receiver);
        for (LinearExpr& x : c->arguments) x = renamed(x);
      } else if (auto* d = std::get_if<Define>(&instruction)) {
        d->value = renamed(d->value);
      }
      forget(state, e);
      if (const auto* a = std::get_if<Access>(&instruction); a && a->stored) written(*a, state);
    }
    if (auto* branch = std::get_if<Branch>(&block.terminator)) {
      for (Atom& x : branch->then_facts) x.expr = renamed(x.expr);
      for (Atom& x : branch->else_facts) x.expr = renamed(x.expr);
    } else if (auto* ret = std::get_if<Return>(&block.terminator); ret && ret->value) {
      ret->value = renamed(*ret->value);
    }
  }

  void rewrite_phis() {
    for (Block& b : out_.function.blocks) {
      for (Phi& phi : b.phis) {
        for (LinearExpr& e : phi.incoming) e = renamed(e);
      }
    }
  }

  void read(const Access& a, Available& state) {
    const auto known = state.find(a.path);
    if (known != state.end()) {
      out_.same_as[*a.result] = known->second.value;
      return;
    }
    const int links = links_of(a.path.base) + 1;
    if (links > kMaxLinks) return;
    links_[*a.result] = links;
    remember(a, *a.result, state);
  }
  // After the write, which has made the analysis forget everything it may have changed.
  static void written(const Access& a, Available& state) { remember(a, *a.stored, state); }

  static void remember(const Access& a, SymbolId value, Available& state) {
    if (state.size() >= kMaxAvailable) state.clear();  // keeps the pass linear
    state[a.path] = {a.memory_class, value};
  }
  int links_of(SymbolId s) const {
    const auto it = links_.find(s);
    return it == links_.end() ? 0 : it->second;
  }

  static void forget(Available& state, const Effects& e) {
    std::erase_if(state, [&](const auto& entry) {
      return e.releases || e.modifies_everything ||
             std::binary_search(e.modifies.begin(), e.modifies.end(), entry.second.memory_class);
    });
  }

  // ---- Joins ----

  // What a loop may do to memory, so that its head can be entered before its body has been seen.
  void find_loop_effects() {
    for (const Loop& loop : cfg_.loops()) {
      Effects all;
      for (BlockId b : loop.blocks) {
        for (const Instruction& i : out_.function.block(b).instructions) all.join(effects_(i));
      }
      all.modifies_everything |= loop.irreducible;
      loop_effects_[loop.header] = std::move(all);
    }
  }

  Available entering(BlockId b) {
    const auto& preds = out_.function.block(b).predecessors;
    std::vector<BlockId> forward;
    for (BlockId p : preds) {
      if (!cfg_.is_retreating(p, b)) forward.push_back(p);
    }
    Available result;
    for (const auto& [path, loaded] : exits_[index_of(forward[0])]) {
      if (!sayable(path, b)) continue;
      std::vector<SymbolId> values;
      for (BlockId p : forward) {
        const auto it = exits_[index_of(p)].find(path);
        if (it == exits_[index_of(p)].end()) break;
        values.push_back(it->second.value);
      }
      if (values.size() != forward.size()) continue;
      const bool same =
          std::all_of(values.begin(), values.end(), [&](SymbolId v) { return v == values[0]; });
      const bool loop = forward.size() != preds.size();
      if (same) {
        result[path] = loaded;
      } else if (!loop) {
        result[path] = {loaded.memory_class, add_phi(b, values)};
        links_[result[path].value] = links_of(path.base) + 1;
      }
    }
    const auto effects = loop_effects_.find(b);
    if (effects != loop_effects_.end()) forget(result, effects->second);
    return result;
  }

  bool sayable(const Path& path, BlockId b) const {
    const auto exists = [&](SymbolId s) {
      const Symbol& info = out_.function.symbol(s);
      return info.scope != b && cfg_.dominates(info.scope, b);
    };
    if (!exists(path.base)) return false;
    for (const LinearExpr* e : {&path.range.begin, &path.range.end}) {
      for (const auto& t : e->terms()) {
        if (!exists(t.symbol)) return false;
      }
    }
    return true;
  }

  SymbolId add_phi(BlockId b, const std::vector<SymbolId>& values) {
    const SymbolId phi{static_cast<std::uint32_t>(out_.function.symbols.size())};
    out_.function.symbols.push_back({out_.function.symbol(values[0]).name, b, true});
    Phi p{phi, {}};
    for (SymbolId v : values) p.incoming.emplace_back(v);
    out_.function.blocks[index_of(b)].phis.push_back(std::move(p));
    out_.added_phis.push_back({phi, b, values});
    return phi;
  }

  Cfg cfg_;
  const std::function<Effects(const Instruction&)>& effects_;
  AliasedFunction out_;
  std::vector<Available> exits_;
  std::map<BlockId, Effects> loop_effects_;
  std::map<SymbolId, int> links_;
};

}  // namespace

AliasedFunction with_alias_facts(const Function& function,
                                 const std::function<Effects(const Instruction&)>& effects) {
  return AliasPass(function, effects).run();
}

}  // namespace bigfoot::ir
