// Logs what a verified build would log. Run by verifier.sh: `names` lists the scenarios, those
// called bad_... contain one violation.
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void __bf_log_access(void* p, unsigned long bytes, unsigned writes);
void __bf_log_check(void* p, long extent, unsigned long step, unsigned long width, unsigned writes);
// What instrumented code calls for atomics: this file is not instrumented.
unsigned __bf_atomic32_load(unsigned* p, int order);
void __bf_atomic32_store(unsigned* p, unsigned v, int order);
void __bf_fence(int order);

enum { kRelaxed = 0, kAcquire = 2, kRelease = 3 };

static long x[64];
static unsigned flag;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t recursive;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void reads(void* p) {
  __bf_log_access(p, 8, 0);
}
static void writes(void* p) {
  __bf_log_access(p, 8, 1);
}
static void check_read(void* p) {
  __bf_log_check(p, 8, 8, 8, 0);
}
static void check_write(void* p) {
  __bf_log_check(p, 8, 8, 8, 1);
}
static void* nothing(void* p) {
  return p;
}
static void no_init(void) {}

static void lock(void) {
  pthread_mutex_lock(&mutex);
}
static void unlock(void) {
  pthread_mutex_unlock(&mutex);
}

// Covering.
static void covered_at_once(void) {
  check_read(x);
  reads(x);
  lock();
  reads(x);
  unlock();
}
static void covered_after(void) {
  lock();
  reads(x);
  unlock();
  writes(x);
  check_write(x);
}
static void bad_never_covered(void) {
  reads(x);
}
static void bad_release_after_check(void) {
  writes(x);
  check_write(x);
  lock();
  unlock();
  writes(x);
}
static void bad_acquire_before_check(void) {
  writes(x);
  lock();
  unlock();
  writes(x);
  check_write(x);
}
static void bad_write_under_read_check(void) {
  writes(x);
  check_read(x);
}
static void bad_second_half(void) {
  __bf_log_access(x, 16, 1);
  check_write(x);
}

// Legitimacy.
static void bad_check_of_nothing(void) {
  reads(x + 1);
  check_read(x + 1);
  check_read(x);
}
static void bad_write_check_of_read(void) {
  reads(x);
  check_write(x);
}
static void bad_check_before_acquire(void) {
  check_read(x);
  lock();
  unlock();
  reads(x);
  check_read(x);
}
static void check_before_release(void) {
  lock();
  check_write(x);
  unlock();
  writes(x);
  check_write(x);
}
static void strided(void) {
  for (int i = 0; i < 64; i += 4) writes(x + i);
  __bf_log_check(x, sizeof x, 4 * sizeof(long), sizeof(long), 1);
}
static void bad_contiguous_for_strided(void) {
  for (int i = 0; i < 64; i += 4) writes(x + i);
  __bf_log_check(x, sizeof x, sizeof(long), sizeof(long), 1);
}
static void empty_range(void) {
  reads(x);
  check_read(x);
  __bf_log_check(x + 8, -8, 8, 8, 1);
}

// Every kind of acquire ends the wait, also while the program has only one thread.
static void bad_acquire_load(void) {
  writes(x);
  __bf_atomic32_load(&flag, kAcquire);
  check_write(x);
  writes(x);
}
static void relaxed_load(void) {
  writes(x);
  __bf_atomic32_load(&flag, kRelaxed);
  check_write(x);
}
static void release_store(void) {
  writes(x);
  __bf_atomic32_store(&flag, 1, kRelease);
  check_write(x);
  writes(x);
}
static void bad_release_store(void) {
  writes(x);
  __bf_atomic32_store(&flag, 1, kRelease);
  check_write(x);
}
static void bad_acquire_fence(void) {
  writes(x);
  __bf_fence(kAcquire);
  check_write(x);
  writes(x);
}
static void bad_join(void) {
  pthread_t t;
  pthread_create(&t, 0, nothing, 0);
  writes(x);
  pthread_join(t, 0);
  check_write(x), writes(x);
}
static void bad_create(void) {
  pthread_t t;
  writes(x);
  pthread_create(&t, 0, nothing, 0);
  check_write(x);
  pthread_join(t, 0);
}
static void bad_once(void) {
  pthread_once(&once, no_init);
  writes(x);
  pthread_once(&once, no_init);
  check_write(x), writes(x);
}
static void nested_lock_orders_nothing(void) {
  pthread_mutexattr_t a;
  pthread_mutexattr_init(&a);
  pthread_mutexattr_settype(&a, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init(&recursive, &a);
  pthread_mutex_lock(&recursive);
  writes(x);
  pthread_mutex_lock(&recursive);
  pthread_mutex_unlock(&recursive);
  check_write(x);
  pthread_mutex_unlock(&recursive);
}

// Memory that ends, threads that end, signal handlers.
static void freed_after_check(void) {
  void* p = malloc(8);
  writes(p);
  check_write(p);
  free(p);
}
static void bad_freed_before_check(void) {
  void* p = malloc(8);
  writes(p);
  free(p);
  check_write(p);
}
static void* leaves_unchecked(void* p) {
  writes(p);
  return p;
}
static void bad_thread_end(void) {
  pthread_t t;
  pthread_create(&t, 0, leaves_unchecked, x);
  pthread_join(t, 0);
}
static void handler(int s) {
  (void)s;
  lock();
  reads(x + 5);
  check_read(x + 5);
  unlock();
}
static void signal_in_between(void) {
  signal(SIGUSR1, handler);
  writes(x);
  raise(SIGUSR1);
  check_write(x);
  writes(x);
}
static void bad_handler(int s) {
  (void)s;
  reads(x + 5);
}
static void bad_in_handler(void) {
  signal(SIGUSR1, bad_handler);
  raise(SIGUSR1);
}

#define SCENARIO(name) \
  { #name, name }
static const struct {
  const char* name;
  void (*run)(void);
} scenarios[] = {
    SCENARIO(covered_at_once),
    SCENARIO(covered_after),
    SCENARIO(bad_never_covered),
    SCENARIO(bad_release_after_check),
    SCENARIO(bad_acquire_before_check),
    SCENARIO(bad_write_under_read_check),
    SCENARIO(bad_second_half),
    SCENARIO(bad_check_of_nothing),
    SCENARIO(bad_write_check_of_read),
    SCENARIO(bad_check_before_acquire),
    SCENARIO(check_before_release),
    SCENARIO(strided),
    SCENARIO(bad_contiguous_for_strided),
    SCENARIO(empty_range),
    SCENARIO(bad_acquire_load),
    SCENARIO(relaxed_load),
    SCENARIO(release_store),
    SCENARIO(bad_release_store),
    SCENARIO(bad_acquire_fence),
    SCENARIO(bad_join),
    SCENARIO(bad_create),
    SCENARIO(bad_once),
    SCENARIO(nested_lock_orders_nothing),
    SCENARIO(freed_after_check),
    SCENARIO(bad_freed_before_check),
    SCENARIO(bad_thread_end),
    SCENARIO(signal_in_between),
    SCENARIO(bad_in_handler),
};

int main(int argc, char** argv) {
  const char* wanted = argc > 1 ? argv[1] : "names";
  for (unsigned i = 0; i < sizeof scenarios / sizeof *scenarios; ++i) {
    if (strcmp(wanted, "names") == 0) puts(scenarios[i].name);
    if (strcmp(wanted, scenarios[i].name) == 0) scenarios[i].run();
  }
  return 0;
}
