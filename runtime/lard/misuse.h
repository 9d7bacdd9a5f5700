// Wrong calls of lard.h: one line that says what and where, and nothing else happens.
#pragma once

#include "include/bigfoot/lard.h"
#include "runtime/base/text.h"
#include "runtime/context/runtime.h"
#include "runtime/report/report.h"

namespace bigfoot::rt::lard {

// Always BF_LARD_MISUSE, for `return misuse(...)`.
inline int misuse(const char* function, Text what, Pc pc) {
  RuntimeScope scope;
  TextBuffer line;
  line.add(function).add(": ").add(what);
  report::complain(line.text(), pc);
  return BF_LARD_MISUSE;
}

}  // namespace bigfoot::rt::lard
