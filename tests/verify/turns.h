// Takes turns without the detector seeing it: see turns.c.
#pragma once

// Returns when `turn` turns have been ended; the caller then has the next one.
void turn_begin(int turn);
void turn_end(void);
// Before the threads of the next case are made.
void turns_start_over(void);

// `n`, of which the compiler knows nothing: loops up to it stay loops.
int number(int n);
