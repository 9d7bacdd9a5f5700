// What the run time counted, at exit: for stats=1, and what was given up, always.
#pragma once

namespace bigfoot::rt {

// Whether anybody asked for it.
bool statistics_wanted();

// False if a file that was asked for could not be written; a line on stderr says so.
bool print_statistics();

// The calling thread is the only one from here on, and its accesses will forget what they find
// ordered before them: if statistics are asked for, the last time to see what the others have left.
// Looked at the first, second, fourth, eighth ... time, for it is a walk over the shadow.
void note_solitude();

}  // namespace bigfoot::rt
