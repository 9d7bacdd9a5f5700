// A name for a race that stays the same from run to run and from machine to machine.
//
// Hashed are, for each of the two accesses, its kind and size, the member accessed (two members on
// one line are two bugs) and the functions, file names and lines from the innermost frame down to the
// first one outside the system's headers (a race inside std::vector::push_back is told apart by who
// called it), and what the object is: the variable's name, or where the block was allocated. Not hashed: addresses, pids, thread numbers, folders, the
// order of the two accesses. A frame without names counts as its module and offset.
#pragma once

#include "runtime/report/resolved.h"

namespace bigfoot::rt::report {

u64 fingerprint(const Report& report);

}  // namespace bigfoot::rt::report
