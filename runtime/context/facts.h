// Answers the questions of report/ about stacks, threads, blocks and locks.
#pragma once

#include "runtime/report/race.h"

namespace bigfoot::rt {

const report::Facts& program_facts();

}  // namespace bigfoot::rt
