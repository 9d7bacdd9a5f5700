// What is accessed and checked around each point of one function, in the span that matters: before
// it with no release between, after it with no acquire between. Four must-analyses under one plan.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "analysis/good_checks/effects.h"
#include "analysis/good_checks/flow.h"
#include "analysis/good_checks/journal.h"

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

  // What is known at the places of a block, one after the other: before each instruction, and at
  // the end.
  class Walk {
   public:
    Walk(const Spans& spans, ir::BlockId b);
    std::size_t index() const { return i_; }
    bool at_end() const;
    void advance();  // REQUIRES: not at the end

    const Items& accessed_before() const { return accessed_; }         // before the checks here
    const Items& checked_before() const { return checked_; }           // after the checks here
    const Items& access_ahead() const { return access_ahead_.now(); }  // from the checks here on
    const Items& check_ahead() const { return check_ahead_.now(); }    // after the instruction

   private:
    void add_checks_here();

    const Spans& spans_;
    ir::BlockId b_;
    std::size_t i_ = 0;
    Items accessed_, checked_;
    Journal access_ahead_, check_ahead_;
  };
  Items access_ahead_on_edge(ir::BlockId from, ir::BlockId to) const;

  // Whether a check covers an access of this path where the walk is, on every way.
  bool covered_at(const Item& item, const Walk& here, ir::BlockId b) const {
    return k_.covered(item, {&here.checked_before(), &here.check_ahead()}, b, std::nullopt);
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
  void step_backward(Journal& items, ir::BlockId b, std::size_t i, bool checks) const;
  // REQUIRES: instruction i acquires or may not return.
  const Items& checked_before(ir::BlockId b, std::size_t i) const;
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
  // What checked_before() answers, for the blocks it was asked about: by instruction.
  mutable std::map<ir::BlockId, std::map<std::size_t, Items>> checked_at_;
};

}  // namespace bigfoot::good_checks
