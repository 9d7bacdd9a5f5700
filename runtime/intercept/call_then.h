// Calls that are followed by something however they end.
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

// Runs `function()`, then `after(argument)`: also if an exception leaves the function, or the
// thread ends in it (pthread_exit, cancellation). Clean-up code of the frames below has run by
// then, none of the frames above.
void bf_call_then(void (*function)(void), void (*after)(void*), void* argument);

#ifdef __cplusplus
}
#endif
