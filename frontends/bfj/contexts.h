// Contexts H . A as text, in the variables of the place, as in Figures 3 and 6.
#pragma once

#include <string>

#include "frontends/bfj/place_program.h"
#include "frontends/bfj/printer.h"

namespace bigfoot::bfj {

// An annotator for print(): the context after each statement. REQUIRES: the placement was made with
// Options::record_contexts, and `placed` outlives the result.
//
//   <  past access    v  past check    <>  anticipated access     (writes get a trailing !)
Annotator context_annotator(const PlacedProgram& placed);

}  // namespace bigfoot::bfj
