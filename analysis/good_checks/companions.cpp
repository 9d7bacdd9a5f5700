#include "analysis/good_checks/companions.h"

#include <map>

#include "analysis/good_checks/spans.h"

namespace bigfoot::good_checks {
namespace {

// The companions of one function, by where their accesses are.
class Questions {
 public:
  Questions(const ir::Function& function, const std::vector<Companion>& companions)
      : companions_(companions), answers_(companions.size(), false) {
    std::multimap<ir::AccessId, std::size_t> of_access;
    for (std::size_t c = 0; c < companions.size(); ++c) of_access.emplace(companions[c].access, c);
    for (std::size_t b = 0; b < function.blocks.size(); ++b) {
      const auto& instructions = function.blocks[b].instructions;
      for (std::size_t i = 0; i < instructions.size(); ++i) {
        const auto* access = std::get_if<ir::Access>(&instructions[i]);
        if (access == nullptr) continue;
        const auto [first, last] = of_access.equal_range(access->id);
        for (auto it = first; it != last; ++it) asked_[ir::BlockId(b)].push_back({i, it->second});
      }
    }
  }

  // Drops those that are not meant where they are asked, and returns the paths of the others.
  Items relevant(const Knowledge& knowledge) {
    Items paths;
    for (auto& [block, questions] : asked_) {
      std::erase_if(questions, [&, b = block](const Question& q) {
        const auto& where = companions_[q.companion].where;
        return where && !knowledge.proves(*where, b, std::nullopt);
      });
      for (const Question& q : questions) paths.insert(item(q));
    }
    return paths;
  }

  std::vector<bool> answer(const Spans& spans) {
    for (const auto& [block, questions] : asked_) {
      if (questions.empty()) continue;
      Spans::Walk here(spans, block);
      for (const Question& q : questions) {
        while (here.index() < q.instruction) here.advance();
        answers_[q.companion] = spans.covered_at(item(q), here, block);
      }
    }
    return std::move(answers_);
  }

 private:
  struct Question {
    std::size_t instruction;
    std::size_t companion;
  };
  Item item(const Question& q) const {
    return {companions_[q.companion].kind, companions_[q.companion].path};
  }

  const std::vector<Companion>& companions_;
  std::map<ir::BlockId, std::vector<Question>> asked_;
  std::vector<bool> answers_;
};

}  // namespace

std::vector<std::vector<bool>> covered_companions(
    const ir::Program& program, const std::vector<const ir::Plan*>& plans,
    const std::vector<std::vector<Companion>>& companions, logic::Entailment& entailment,
    const Options& options) {
  const EffectTable effects(program, options.assume_termination);
  const Subject subject{program, plans, effects, options.assume_termination};
  std::vector<std::vector<bool>> covered(companions.size());
  for (std::size_t f = 0; f < companions.size(); ++f) {
    if (companions[f].empty()) continue;
    Questions questions(program.functions[f], companions[f]);
    const Spans spans(subject, ir::FunctionId(f), entailment,
                      [&](const Knowledge& k) { return questions.relevant(k); });
    covered[f] = questions.answer(spans);
  }
  return covered;
}

}  // namespace bigfoot::good_checks
