#include "analysis/solver/chain.h"

#include <algorithm>
#include <optional>

namespace bigfoot::solver {

using logic::Atom;
using logic::Coverage;
using logic::LinearExpr;
using logic::Query;
using logic::Range;
using logic::SymbolId;
using logic::Verdict;

namespace {

// A compact spelling of a query with symbols numbered by first appearance.
class Key {
 public:
  std::string of(const Query& query) {
    text_.reserve(64 * (query.facts.size() + 2));
    for (const Atom& fact : query.facts) add(fact);
    text_ += '|';
    if (const auto* atom = std::get_if<Atom>(&query.goal)) {
      add(*atom);
    } else {
      const auto& coverage = std::get<Coverage>(query.goal);
      add(coverage.target);
      for (const Range& source : coverage.sources) add(source);
    }
    return std::move(text_);
  }

 private:
  void add(std::int64_t n) { text_.append(reinterpret_cast<const char*>(&n), sizeof n); }
  void add(const LinearExpr& e) {
    text_ += e.valid() ? 'e' : '!';
    text_ += static_cast<char>(e.terms().size());
    add(e.constant());
    for (const auto& t : e.terms()) {
      add(number_of(t.symbol));
      add(t.coefficient);
    }
  }
  // By looking: a query has a handful of symbols.
  std::int64_t number_of(SymbolId s) {
    const auto it = std::find(names_.begin(), names_.end(), s);
    const auto number = it - names_.begin();
    if (it == names_.end()) names_.push_back(s);
    return number;
  }
  void add(const Atom& a) {
    text_ += static_cast<char>('A' + static_cast<int>(a.kind));
    add(a.modulus);
    add(a.expr);
  }
  void add(const Range& r) {
    text_ += 'r';
    add(r.step);
    add(r.width);
    add(r.begin);
    add(r.end);
  }

  std::vector<SymbolId> names_;  // by number
  std::string text_;
};

// Answers that need no engine: goals without symbols, and a source equal to the target.
std::optional<Verdict> trivial(const Query& query) {
  if (const auto* atom = std::get_if<Atom>(&query.goal)) {
    if (atom->constant_truth().value_or(false)) return Verdict::Proved;
    return std::nullopt;
  }
  const auto& coverage = std::get<Coverage>(query.goal);
  if (!coverage.target.valid()) return Verdict::Unknown;
  for (const Range& source : coverage.sources) {
    if (source == coverage.target) return Verdict::Proved;
  }
  if (coverage.sources.empty() && query.facts.empty()) {
    const LinearExpr length = coverage.target.end - coverage.target.begin;
    if (length.is_constant()) {
      return length.constant() <= 0 ? Verdict::Proved : Verdict::Refuted;
    }
  }
  return std::nullopt;
}

}  // namespace

Sequence::Sequence(std::vector<Stage> stages) : stages_(std::move(stages)) {
  for (const Stage& stage : stages_) counts_.push_back({stage.name});
}

Verdict Sequence::decide(const Query& query) {
  for (std::size_t i = 0; i < stages_.size(); ++i) {
    const Verdict verdict = stages_[i].engine->decide(query);
    if (verdict == Verdict::Proved) {
      ++counts_[i].proved;
    } else if (verdict == Verdict::Refuted) {
      ++counts_[i].refuted;
    } else {
      ++counts_[i].passed_on;
      continue;
    }
    return verdict;
  }
  return Verdict::Unknown;
}

Verdict Cache::decide(const Query& query) {
  std::string key = Key().of(query);
  const auto it = known_.find(key);
  if (it != known_.end()) {
    ++hits_;
    return it->second;
  }
  ++misses_;
  const Verdict verdict = behind_.decide(query);
  if (known_.size() < kMaxEntries) known_.emplace(std::move(key), verdict);
  return verdict;
}

Verdict Observer::decide(const Query& query) {
  const Verdict verdict = behind_.decide(query);
  if (listener_) listener_(query, verdict);
  return verdict;
}

Chain::Chain(std::vector<Sequence::Stage> stages, Observer::Listener listener)
    : sequence_(std::move(stages)), observer_(sequence_, std::move(listener)), cache_(observer_) {}

Verdict Chain::decide(const Query& query) {
  if (const auto answer = trivial(query)) {
    ++trivial_;
    return *answer;
  }
  return cache_.decide(query);
}

std::string Chain::statistics() const {
  std::string text = "queries: " + std::to_string(trivial_) + " trivial, " +
                     std::to_string(cache_.hits()) + " cached, " + std::to_string(cache_.misses()) +
                     " asked\n";
  for (const EngineCounts& row : sequence_.counts()) {
    text += row.name + ": " + std::to_string(row.proved) + " proved, " +
            std::to_string(row.refuted) + " refuted, " + std::to_string(row.passed_on) +
            " unknown\n";
  }
  return text;
}

}  // namespace bigfoot::solver
