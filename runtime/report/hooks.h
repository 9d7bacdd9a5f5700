// What a program can be told about reports while it runs.
//
//   void __bf_on_report(const char* json)      the record of docs/json-format.md
//   void __tsan_on_report(void* report)        TSan's, with the __tsan_get_report_* functions
//   bool __tsan::OnReport(const ReportDesc*, bool suppressed)   TSan's, may suppress
//
// All are optional. They run on the thread that found the race, with no lock of ours held; several
// threads may be in them at once. `report` is valid until the hook returns.
#pragma once

#include "runtime/report/resolved.h"

namespace bigfoot::rt::report {

// Whether the program wants the report hidden. Returns `suppressed` if it has no say.
bool ask_program(const Report& report, bool suppressed);
bool program_wants_json();
// `json` ends with a zero; null unless program_wants_json().
void tell_program(const Report& report, const char* json);

}  // namespace bigfoot::rt::report
