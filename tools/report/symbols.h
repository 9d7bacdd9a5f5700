// Names for records that were written without them (symbolize=0), after the run.
//
// The run time's own symbolizer is asked, so that a race has the same names, and so the same
// fingerprint, whether it was symbolised then or now. A file that is not the one that ran (another
// build id) is not asked: wrong names are worse than none.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>

#include "runtime/options/options.h"
#include "runtime/report/llvm_symbolizer.h"
#include "tools/report/arena.h"

namespace bigfoot::report {

struct Frames {
  const rt::report::SourceFrame* first = nullptr;
  rt::u32 count = 0;
};

class Symbols {
 public:
  explicit Symbols(Arena& arena) : arena_(arena), symbolizer_(options_) {}
  ~Symbols() { symbolizer_.stop(); }
  Symbols(const Symbols&) = delete;
  Symbols& operator=(const Symbols&) = delete;

  // The functions at a place of a module, innermost first; none if nothing is known.
  Frames code(const rt::report::Module& module, rt::u64 offset);
  // The member that the check at a place with such frames is of; empty if it is not known.
  rt::Text field(const rt::report::Module& module, const rt::report::SourceFrame& innermost);
  // The variable there; its start counts like offsets of the module.
  std::optional<rt::report::DataSymbol> data(const rt::report::Module& module, rt::u64 offset);

  // One line per module whose file is gone or another one.
  const std::map<std::string, std::string>& unusable() const { return unusable_; }

 private:
  bool usable(const rt::report::Module& module);

  Arena& arena_;
  rt::Options options_;
  rt::report::LlvmSymbolizer symbolizer_;
  std::map<std::pair<std::string, rt::u64>, Frames> code_;
  std::map<std::string, bool> checked_;
  std::map<std::string, std::string> unusable_;
};

}  // namespace bigfoot::report
