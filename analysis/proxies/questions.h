// What has to be covered along with an access for a proxy relation to hold.
#pragma once

#include "analysis/good_checks/companions.h"
#include "analysis/proxies/shadow_proxies.h"

namespace bigfoot::proxies {

// Calls visit(function, access) for all accesses of a space.
template <class Visit>
void for_each_access(const ir::Program& program, ir::Space space, Visit&& visit) {
  for (std::size_t f = 0; f < program.functions.size(); ++f) {
    for (const ir::Block& b : program.functions[f].blocks) {
      for (const ir::Instruction& i : b.instructions) {
        const auto* access = std::get_if<ir::Access>(&i);
        if (access != nullptr && access->path.space == space) visit(ir::FunctionId(f), *access);
      }
    }
  }
}

// One way in which an access may satisfy a relation.
struct Alternative {
  ir::Range range;
  std::optional<ir::Atom> where = std::nullopt;
};

// Of an access to one element: units that include its proxy (Any), or everything its proxy stands
// for (Symmetric). One of the alternatives is enough; none: the relation does not hold for it.
std::vector<Alternative> companions_of(const ir::Range& element, const IndexProxy& proxy,
                                       Relation relation, const Arrays::Site& site);

// Questions about every function, each with what it is asked for.
template <class Subject>
class Questions {
 public:
  explicit Questions(const ir::Program& program)
      : companions_(program.functions.size()), questions_(program.functions.size()) {}

  // Whether one of the alternatives is covered along with the access, as if by an access of `kind`.
  void ask(ir::FunctionId f, const ir::Access& access, ir::AccessKind kind,
           const std::vector<Alternative>& alternatives, Subject subject) {
    auto& companions = companions_[index_of(f)];
    for (const Alternative& a : alternatives) {
      companions.push_back(
          {access.id, kind, {access.path.base, access.path.space, a.range}, a.where});
    }
    questions_[index_of(f)].push_back({alternatives.size(), std::move(subject)});
  }

  // Calls refuted(subject) for each question whose answer is not a proved yes.
  template <class Refuted>
  void answer(const Placed& placed, logic::Entailment& entailment, Refuted&& refuted) const {
    const auto covered = good_checks::covered_companions(placed.program, placed.plans, companions_,
                                                         entailment, {placed.assume_termination});
    for (std::size_t f = 0; f < questions_.size(); ++f) {
      std::size_t at = 0;
      for (const Question& q : questions_[f]) {
        bool yes = false;
        for (std::size_t end = at + q.alternatives; at < end; ++at) yes |= covered[f][at];
        if (!yes) refuted(q.subject);
      }
    }
  }

 private:
  struct Question {
    std::size_t alternatives;  // the next so many companions
    Subject subject;
  };
  std::vector<std::vector<good_checks::Companion>> companions_;
  std::vector<std::vector<Question>> questions_;
};

}  // namespace bigfoot::proxies
