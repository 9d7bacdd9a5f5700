// How engines are put together: cache, then the fast engine, then the thorough one.
//
// The engines do not know about each other; each of the classes here is an Entailment around other
// Entailments, and make_chain() is the one place where they are wired.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analysis/logic/entailment.h"

namespace bigfoot::solver {

// Who answered what. One row per stage of a chain.
struct EngineCounts {
  std::string name;
  std::uint64_t proved = 0;
  std::uint64_t refuted = 0;
  std::uint64_t passed_on = 0;
};

// Asks each engine in turn until one does not answer Unknown.
class Sequence final : public logic::Entailment {
 public:
  struct Stage {
    std::string name;
    std::unique_ptr<logic::Entailment> engine;
  };
  explicit Sequence(std::vector<Stage> stages);
  logic::Verdict decide(const logic::Query& query) override;
  const std::vector<EngineCounts>& counts() const { return counts_; }

 private:
  std::vector<Stage> stages_;
  std::vector<EngineCounts> counts_;
};

// Remembers verdicts by the question's shape: symbols renamed in order of appearance.
class Cache final : public logic::Entailment {
 public:
  // Entries kept. Past this the cache stops growing (no eviction: results stay reproducible).
  static constexpr std::size_t kMaxEntries = 1u << 20;

  explicit Cache(logic::Entailment& behind) : behind_(behind) {}
  logic::Verdict decide(const logic::Query& query) override;
  std::uint64_t hits() const { return hits_; }
  std::uint64_t misses() const { return misses_; }

 private:
  logic::Entailment& behind_;
  std::unordered_map<std::string, logic::Verdict> known_;
  std::uint64_t hits_ = 0;
  std::uint64_t misses_ = 0;
};

// Hands every query to a listener after it has been answered (dumping, comparing engines).
class Observer final : public logic::Entailment {
 public:
  using Listener = std::function<void(const logic::Query&, logic::Verdict)>;
  Observer(logic::Entailment& behind, Listener listener)
      : behind_(behind), listener_(std::move(listener)) {}
  logic::Verdict decide(const logic::Query& query) override;

 private:
  logic::Entailment& behind_;
  Listener listener_;
};

enum class Engines { Affine, Z3, Both };

// A complete chain with its statistics. `listener`, if any, sees the queries that miss the cache.
class Chain final : public logic::Entailment {
 public:
  explicit Chain(std::vector<Sequence::Stage> stages, Observer::Listener listener = {});
  logic::Verdict decide(const logic::Query& query) override;
  const Sequence& sequence() const { return sequence_; }
  const Cache& cache() const { return cache_; }
  std::string statistics() const;

 private:
  Sequence sequence_;
  Observer observer_;
  Cache cache_;
  std::uint64_t trivial_ = 0;
};

}  // namespace bigfoot::solver
