// What calls do, computed from the program alone.
#pragma once

#include <vector>

#include "analysis/ir/program.h"

namespace bigfoot::good_checks {

struct CallEffects {
  bool acquires = false, releases = false, may_not_return = false;
};

class EffectTable {
 public:
  EffectTable(const ir::Program& program, bool assume_termination);
  CallEffects of(const ir::Instruction& instruction) const;

 private:
  // A function by itself, without the functions it calls.
  static CallEffects own_effects(const ir::Function& function, bool assume_termination);
  // One round of adding what callees do; true while something changes.
  bool add_callees(const ir::Program& program, std::size_t function);

  std::vector<CallEffects> of_;
  // Longest call chain from each function.
  std::vector<std::size_t> height_;
};

}  // namespace bigfoot::good_checks
