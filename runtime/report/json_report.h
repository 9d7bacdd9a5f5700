// A report as one line of JSON. The format is described in docs/json-format.md; change it and
// kJsonVersion changes with it.
#pragma once

#include "runtime/options/options.h"
#include "runtime/report/report.h"
#include "runtime/report/resolved.h"
#include "runtime/report/suppressions.h"

namespace bigfoot::rt::report {

//   1  first version
//   2  additions only: history and run of races, names of mutexes
inline constexpr u64 kJsonVersion = 3;

// Both append one line with its line end.
void write_json(const Report& report, const Options& options, TextBuffer& out);
// The last line of a process: what was counted.
void write_json_end(const Counts& counts, const Suppressions& suppressions, TextBuffer& out);

}  // namespace bigfoot::rt::report
