// Signals that end the process unless the program handles them: what was put off is told first.
//
// The program sees none of it: to sigaction the action is the default one, a handler of its own
// replaces ours, and in the end the signal does what it would have done: the faulting instruction
// is run again, so that exit status, core file and siginfo are the same.
#pragma once

#include <signal.h>

namespace bigfoot::rt::intercept {

// Part of intercept::initialise().
void watch_faults();

// Whether the signal's default action is preceded by ours.
bool is_watched_fault(int signal);
// What the kernel gets where the program wants the default action of such a signal, and whether an
// action is that one.
struct sigaction fault_action();
bool is_fault_action(const struct sigaction& a);

// The run time has had its last words: a signal that comes now (abort's own) does the rest.
void last_words_are_said();

}  // namespace bigfoot::rt::intercept
