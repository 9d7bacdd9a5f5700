// In C, because a C++ function that cleans up on unwinding needs the C++ library's personality
// routine. That of C is in the compiler's support library, which every program has; the C library's
// own pthread_once is written in the same way. Compiled with -fexceptions.
#include "runtime/intercept/call_then.h"

struct After {
  void (*function)(void*);
  void* argument;
};

static void run(const struct After* after) {
  after->function(after->argument);
}

void bf_call_then(void (*function)(void), void (*after)(void*), void* argument) {
  __attribute__((cleanup(run))) const struct After then = {after, argument};
  function();
}
