// The findings that are no races: how they are called, which option turns them off and which
// suppressions hide them.
#pragma once

#include "runtime/options/options.h"
#include "runtime/report/suppressions.h"

namespace bigfoot::rt::report {

struct FindingKind {
  const char* title;        // TSan's wording
  const char* description;  // what __tsan_get_report_data calls it
  SuppressionType suppressed_by;
  bool Options::*enabled;
};

// A title that is not in the table counts as a wrong use of a mutex if it speaks of one, and is
// always reported otherwise.
const FindingKind& finding_kind(Text title);

// TSan's short name for what a report is about: "data-race", "thread-leak".
const char* kind_name(const Report& report);

}  // namespace bigfoot::rt::report
