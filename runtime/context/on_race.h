// What a race leads to besides its report: the handler of lard.h, and the option on_race.
#pragma once

#include "runtime/report/race.h"

namespace bigfoot::rt {

// Told of every racing access, on the thread whose access it is. True: nothing is to be printed.
using RaceListener = bool (*)(const report::Race& race);
// Null: nobody listens. `stops`: a racing access is not recorded, because the listener may see to
// it that it does not happen. REQUIRES of `stops`: module_that_checks_late() is null.
void set_race_listener(RaceListener listener, bool stops);

// A module whose accesses do not wait for their checks has come. False: it must not, for races are
// to stop.
bool module_checks_late(const char* source);
// The source of the first such module; null: there is none.
const char* module_that_checks_late();

// Whether racing accesses leave no trace. What one check stands for is judged as a whole then,
// before any of it is recorded.
bool races_stop();

// Tells the listener, and unless that has dealt with it prints the report; may not return.
enum class Telling : u8 { kListenerAndReport, kListener };
void race_happened(const report::Race& race, Telling telling);

// Reads the option.
void initialise_on_race();

}  // namespace bigfoot::rt
