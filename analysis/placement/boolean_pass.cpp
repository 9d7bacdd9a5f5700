#include "analysis/placement/boolean_pass.h"

#include <algorithm>
#include <map>
#include <set>

#include "analysis/placement/invariants.h"

namespace bigfoot::placement {
namespace {

using ir::Atom;
using ir::BlockId;

// Facts of one arm that are tried on the others.
constexpr std::size_t kMaxJoinCandidates = 8;
constexpr int kMaxRounds = 16;

class BooleanPass {
 public:
  explicit BooleanPass(Reasoner& r) : r_(r), cfg_(r.cfg()) {}

  void run() {
    sweep();
    for (const ir::Loop& loop : cfg_.loops()) {
      if (loop.irreducible) continue;
      conjectures_[loop.header] = boolean_conjectures(r_, loop, facts_on_back_edges(loop));
    }
    if (conjectures_.empty()) return;
    for (int round = 0; round < kMaxRounds; ++round) {
      sweep();
      if (!refine()) return;
    }
    conjectures_.clear();
    sweep();
  }

 private:
  void sweep() {
    for (BlockId b : cfg_.order()) {
      if (b == ir::kEntry) continue;
      const auto& preds = cfg_.function().block(b).predecessors;
      std::vector<Atom> own;
      if (preds.size() == 1) {
        own = edge_facts(cfg_.function().block(preds[0]).terminator, b);
      } else {
        own = joined(b);
        const auto it = conjectures_.find(b);
        if (it != conjectures_.end()) own.insert(own.end(), it->second.begin(), it->second.end());
      }
      std::erase_if(
          own, [](const Atom& a) { return !a.expr.valid() || a.constant_truth().value_or(false); });
      r_.booleans().set_own(b, std::move(own));
    }
  }

  // Facts added on the way from the join's dominator to the end of one arm.
  std::vector<Atom> arm_facts(BlockId from, BlockId to) const {
    std::vector<Atom> atoms = edge_facts(cfg_.function().block(from).terminator, to);
    const BlockId stop = cfg_.immediate_dominator(to);
    for (BlockId b = from; b != stop && atoms.size() < kMaxJoinCandidates;
         b = cfg_.immediate_dominator(b)) {
      const auto& own = r_.booleans().own(b);
      atoms.insert(atoms.end(), own.begin(), own.end());
      if (b == ir::kEntry) break;
    }
    if (atoms.size() > kMaxJoinCandidates) atoms.resize(kMaxJoinCandidates);
    return atoms;
  }

  // What holds on every way in. A loop's head is asked for its ways in from outside only: what is
  // kept speaks of values that are older than the loop and stay as they are while it goes round.
  std::vector<Atom> joined(BlockId b) {
    const ir::Loop* loop = cfg_.loop_headed_by(b);
    if (loop != nullptr && loop->irreducible) return {};
    std::set<Atom> result;
    std::vector<BlockId> preds = cfg_.function().block(b).predecessors;
    std::erase_if(preds, [&](BlockId p) { return cfg_.is_retreating(p, b); });
    for (BlockId p : preds) {
      for (const Atom& a : arm_facts(p, b)) {
        if (!a.expr.valid() || a.expr.is_constant() || !r_.survives_edge(a.expr, b)) continue;
        const bool everywhere = std::all_of(preds.begin(), preds.end(), [&](BlockId q) {
          return q == p || r_.proves({q, b}, r_.before_edge(a, q, b));
        });
        if (everywhere) result.insert(a);
      }
    }
    return {result.begin(), result.end()};
  }

  std::vector<Atom> facts_on_back_edges(const ir::Loop& loop) const {
    std::vector<Atom> atoms;
    for (BlockId latch : loop.latches) {
      const auto& on_edge = edge_facts(cfg_.function().block(latch).terminator, loop.header);
      atoms.insert(atoms.end(), on_edge.begin(), on_edge.end());
      for (BlockId b = latch;; b = cfg_.immediate_dominator(b)) {
        const auto& own = r_.booleans().own(b);
        if (b != loop.header) atoms.insert(atoms.end(), own.begin(), own.end());
        if (b == loop.header || b == ir::kEntry) break;
      }
    }
    std::sort(atoms.begin(), atoms.end());
    atoms.erase(std::unique(atoms.begin(), atoms.end()), atoms.end());
    constexpr std::size_t kMax = 12;
    if (atoms.size() > kMax) atoms.resize(kMax);
    return atoms;
  }

  // Drops the conjectures some edge into the loop does not imply. True if any was dropped.
  bool refine() {
    bool changed = false;
    for (auto& [header, atoms] : conjectures_) {
      const auto& preds = cfg_.function().block(header).predecessors;
      const std::size_t dropped = std::erase_if(atoms, [&](const Atom& a) {
        return !std::all_of(preds.begin(), preds.end(), [&](BlockId p) {
          return r_.proves({p, header}, r_.before_edge(a, p, header));
        });
      });
      changed |= dropped > 0;
    }
    return changed;
  }

  Reasoner& r_;
  const ir::Cfg& cfg_;
  std::map<BlockId, std::vector<Atom>> conjectures_;
};

}  // namespace

void compute_boolean_facts(Reasoner& reasoner) {
  BooleanPass(reasoner).run();
}

}  // namespace bigfoot::placement
