// What a file is compiled for: the detector, and what its build is to tell.
//
// Asked for by options of the compiler. Written down in what is compiled (unplaced.h), because a
// linker that does the rest of the work later knows none of the plugin's options.
#pragma once

#include <llvm/ADT/StringRef.h>

#include <optional>
#include <string>

#include "abi/arrays.h"
#include "analysis/placement/options.h"
#include "frontends/llvm/explain/json.h"
#include "frontends/llvm/inline_tests.h"
#include "frontends/llvm/trace.h"

namespace bigfoot::frontend {

// A detector as the user knows it: where it places checks, and whether the run time compresses the
// history of arrays.
enum class Choice { FastTrack, RedCard, SlimState, SlimCard, BigFoot };

struct Settings {
  Choice detector = Choice::FastTrack;
  bool count = false;              // accesses and checks, as they are executed
  bool verify = false;             // tell the run time of every access and every check
  bool check_first = false;        // every check before its access, as data-race exceptions need
  bool no_proxies = false;         // each field is checked on its own
  bool one_sided_proxies = false;  // leave out what proxies of the whole program would
  bool verify_placement = false;   // have every placement judged by GoodChecks
  bool dump = false;               // print each abstract function with its checks
  unsigned omit_check = 0;         // leave out the n-th check of each function; 0: none
  std::string explain_to;          // file or folder for `explain` records; empty: none

  placement::Detector placement() const;
  bool compresses_arrays() const;
  // REQUIRES: compresses_arrays().
  abi::UseArrays use_arrays() const;
  InlineTests inline_tests() const;
  TraceOptions trace() const { return {.count = count, .verify = verify}; }
  explain::Destination explain_destination() const;
};

// What the options of this compilation ask for.
Settings settings_asked_for();
// -bigfoot-at-link: the checks are left to the linker, if it optimises the whole program.
bool left_to_the_linker();

// A line for each setting.
std::string to_text(const Settings& settings);
// Nothing: written by another version of the plugin.
std::optional<Settings> from_text(llvm::StringRef text);

}  // namespace bigfoot::frontend
