// What the run time counted, at exit: for stats=1, and what was given up, always.
#pragma once

namespace bigfoot::rt {

void print_statistics();

}  // namespace bigfoot::rt
