// What is accessed and checked around each point of one function, in the span that matters: before
// it with no release between, after it with no acquire between. Four must-analyses under one plan.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "analysis/good_checks/effects.h"
#include "analysis/good_checks/flow.h"

namespace bigfoot::good_checks {

// What is judged: a program, a plan for each function, and what its calls do.
struct Subject {
  const ir::Program& program;
  const std::vector<const ir::Plan*>& plans;
  const EffectTable& effects;
  bool assume_termination = false;
};

class Spans {
 public:
  // Everything. `thorough`: tries every candidate everywhere, which costs time and is needed for a
  // few functions in a thousand.
  Spans(const Subject& subject, ir::FunctionId function, logic::Entailment& entailment,
        bool thorough);
  // Checks alone: what is accessed is not asked for. `wanted(knowledge)`: further paths worth
  // trying where control joins.
  using Wanted = std::function<Items(const Knowledge&)>;
  Spans(const Subject& subject, ir::FunctionId function, logic::Entailment& entailment,
        const Wanted& wanted);
  Spans(const Spans&) = delete;
  Spans& operator=(const Spans&) = delete;

  // What is known at the places of a block, for each instruction i and the end (i == n).
  struct InBlock {
    std::vector<Items> accessed_before;  // before instruction i and the checks there
    std::vector<Items> checked_before;   // before instruction i, after the checks there
    std::vector<Items> access_ahead;     // from the checks before instruction i on
    std::vector<Items> check_ahead;      // after instruction i; at the end: after the block
  };
  InBlock in_block(ir::BlockId b) const;
  Items access_ahead_on_edge(ir::BlockId from, ir::BlockId to) const;

  // Whether a check covers an access of this path at instruction i, on every way.
  bool covered_at(const Item& item, const InBlock& known, ir::BlockId b, std::size_t i) const {
    return k_.covered(item, {&known.checked_before[i], &known.check_ahead[i]}, b, std::nullopt);
  }
  const std::vector<Item>& checks_at(const ir::Point& p) const;
  const ir::Specification& specification(ir::FunctionId f) const {
    return subject_.plans[index_of(f)]->specification;
  }
  // A callee's specification in the caller's names; parts that cannot be said there are left out.
  std::vector<Item> at_call(const ir::Call& call, bool required, bool* complete = nullptr) const;

  const ir::Function& function() const { return f_; }
  ir::FunctionId id() const { return id_; }
  const ir::Cfg& cfg() const { return cfg_; }
  const Knowledge& knowledge() const { return k_; }
  const EffectTable& effects() const { return subject_.effects; }

 private:
  Spans(const Subject& subject, ir::FunctionId function, logic::Entailment& entailment);
  void step_forward(Items& items, ir::BlockId b, std::size_t i, bool checks) const;
  void step_backward(Items& items, ir::BlockId b, std::size_t i, bool checks) const;
  Items checked_before(ir::BlockId b, std::size_t i) const;
  Flow forward(bool checks);
  Flow backward(bool checks);

  const Subject& subject_;
  ir::FunctionId id_;
  const ir::Function& f_;
  ir::Cfg cfg_;
  Knowledge k_;
  bool thorough_ = false;
  Items wanted_;
  std::map<ir::Point, std::vector<Item>> checks_;
  std::vector<Item> check_paths_, access_paths_, hints_;
  std::optional<Solution> accessed_, will_access_;  // unless of checks alone
  std::optional<Solution> checked_, will_check_;
};

}  // namespace bigfoot::good_checks
