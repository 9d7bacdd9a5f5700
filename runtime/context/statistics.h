// What the run time counted, at exit: for stats=1, and what was given up, always.
#pragma once

namespace bigfoot::rt {

// False if a file that was asked for could not be written; a line on stderr says so.
bool print_statistics();

}  // namespace bigfoot::rt
