#include "counter.h"

#include <pthread.h>

static int counter;
#ifdef LOCKED
static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
#define lock() pthread_mutex_lock(&guard)
#define unlock() pthread_mutex_unlock(&guard)
#else
#define lock()
#define unlock()
#endif

void bump(void) {
  lock();
  ++counter;  // the race
  unlock();
}

int counted(void) { return counter; }
