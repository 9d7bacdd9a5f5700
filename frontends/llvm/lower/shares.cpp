#include "frontends/llvm/lower/shares.h"

#include <llvm/Analysis/LoopInfo.h>

#include <algorithm>
#include <map>
#include <numeric>

namespace bigfoot::frontend {
namespace {

using ir::LinearExpr;

// What one access touches while the loops that end before the check go round.
struct Footprint {
  LinearExpr begin, end;
  std::int64_t period = 0;  // every element begins at `begin` plus a multiple of it; 0: only one
};

class Sweep {
 public:
  Sweep(const LoweredFunction& f, const llvm::BasicBlock& where) : f_(f), where_(where) {}

  std::optional<Footprint> of(ir::AccessId id) const {
    const ir::Range& r = f_.paths[index_of(id)].range;
    Footprint result{r.begin, r.end, 0};
    // Inner loops first: their ends may speak of the counters of outer ones.
    for (const llvm::Loop* loop =
             f_.loops->getLoopFor(f_.accesses[index_of(id)].instruction->getParent());
         loop != nullptr && !loop->contains(&where_); loop = loop->getParentLoop())
      if (!sweep(*loop, result)) return std::nullopt;
    return result;
  }

  // Counters of loops that are over have their last values.
  LinearExpr after_loops(const LinearExpr& e) const {
    return e.substitute([&](ir::SymbolId s) -> const LinearExpr* {
      const SymbolSource& source = f_.symbols->source(s);
      if (source.kind != SymbolSource::Kind::Counter || source.loop->contains(&where_))
        return nullptr;
      const auto last = f_.trip_ends.find(source.loop);
      return last == f_.trip_ends.end() ? nullptr : &last->second;
    });
  }

 private:
  bool sweep(const llvm::Loop& loop, Footprint& p) const {
    const logic::TermList terms = p.begin.terms();
    for (const logic::Term& t : terms) {
      const SymbolSource& source = f_.symbols->source(t.symbol);
      if (source.loop != &loop) continue;
      if (source.kind != SymbolSource::Kind::Counter) return false;
      const auto last = f_.trip_ends.find(&loop);
      if (last == f_.trip_ends.end()) return false;
      const auto at = [&](const LinearExpr& e, const LinearExpr& k) {
        return e.substitute([&](ir::SymbolId s) { return s == t.symbol ? &k : nullptr; });
      };
      const LinearExpr first(0);
      p.begin = at(p.begin, t.coefficient > 0 ? first : last->second);
      p.end = at(p.end, t.coefficient > 0 ? last->second : first);
      p.period = std::gcd(p.period, t.coefficient);
      break;  // each loop has one counter
    }
    return p.begin.valid() && p.end.valid();
  }

  const LoweredFunction& f_;
  const llvm::BasicBlock& where_;
};

struct Candidate {
  Share share;
  std::int64_t begin;  // its first byte, seen from the beginning of the check's range
};

// Its elements go on to the end of the range. In a dense one the bytes do; otherwise there is no
// room for another element behind the last one.
bool reaches_the_end(const Share& s) {
  const bool dense = s.step == s.width;
  return dense ? s.end == 0 : s.end >= s.phase + s.width - s.step;
}

// Of candidates with the same phase, those that together have every element, each taking over where
// the one before ends: always the one that goes farthest among those that have begun by then.
// Ranges have at least one element; how many more is not known here.
std::optional<std::vector<Share>> take_turns(const std::vector<Candidate>& all) {
  std::vector<Share> chosen;
  std::int64_t reached = all.front().share.phase;  // at least so far
  while (chosen.empty() || !reaches_the_end(chosen.back())) {
    const Share* best = nullptr;
    for (const Candidate& c : all) {
      const bool longer = best == nullptr || c.share.end > best->end;
      if (c.begin <= reached && longer) best = &c.share;
    }
    if (best == nullptr || (!chosen.empty() && best->end <= chosen.back().end)) return std::nullopt;
    reached += chosen.empty() ? best->step : best->end - chosen.back().end;
    chosen.push_back(*best);
  }
  return chosen;
}

// Do the shares' phases fill every period, or the checked part of it?
bool phases_fill(const std::vector<Share>& all, std::int64_t width) {
  std::int64_t filled = 0;
  for (const Share& s : all) {
    if (s.phase > filled) return false;
    filled = std::max(filled, s.phase + s.width);
  }
  return filled >= width;
}

}  // namespace

std::optional<std::vector<Share>> shares(const LoweredFunction& f, const ir::PlacedCheck& check,
                                         const ir::Range& range,
                                         const std::vector<ir::AccessId>& who,
                                         const llvm::BasicBlock& where) {
  const Sweep sweep(f, where);
  const LinearExpr range_begin = sweep.after_loops(range.begin);
  const LinearExpr range_end = sweep.after_loops(range.end);
  std::map<std::int64_t, std::vector<Candidate>> by_phase;
  std::optional<std::int64_t> common_step;
  // Those that do not lie in this range, or of which that cannot be told, have no share in it.
  for (ir::AccessId id : who) {
    if (f.accesses[index_of(id)].length != nullptr) continue;
    const auto p = f.paths[index_of(id)].base == check.check.base ? sweep.of(id) : std::nullopt;
    if (!p || p->period == 0) continue;
    const LinearExpr begin = p->begin - range_begin, end = p->end - range_end;
    if (!begin.is_constant() || begin.constant() < 0) continue;
    if (!end.is_constant() || end.constant() > 0) continue;
    const auto bytes = static_cast<std::int64_t>(f.accesses[index_of(id)].bytes);
    const bool dense = p->period <= bytes;
    const std::int64_t step = dense ? bytes : p->period;
    const std::int64_t phase = dense ? 0 : begin.constant() % step;
    const bool fits = range.contiguous() || (range.step == step && phase + bytes <= range.width);
    if (!fits) continue;
    if (common_step.value_or(step) != step) return std::nullopt;
    common_step = step;
    by_phase[phase].push_back({{id, phase, step, bytes, end.constant()}, begin.constant()});
  }
  std::vector<Share> all;
  for (const auto& [phase, candidates] : by_phase) {
    const auto some = take_turns(candidates);
    if (!some) return std::nullopt;
    all.insert(all.end(), some->begin(), some->end());
  }
  if (all.empty()) return std::nullopt;
  const Share& first = all.front();
  const bool dense = first.step == first.width;
  if (!dense && !phases_fill(all, range.contiguous() ? first.step : range.width))
    return std::nullopt;
  return all;
}

}  // namespace bigfoot::frontend
