// REQUIRES: bigfoot
// RUN: %clangxx %s -o %t
// RUN: %run_clean %t 500

// So many logical threads live at the same time and take turns, twice, by one object. For what they
// cost (docs/lard.md): the number of threads, and anything else if they shall only live.
#include <bigfoot/lard.h>
#include <stdlib.h>

namespace {
constexpr size_t kStack = 64 << 10;
long object, shared;

// What the scheduler does for itself is not the program's.
__attribute__((no_sanitize("thread"))) bf_lard_thread* create(long count) {
  auto* threads = static_cast<bf_lard_thread*>(malloc(count * sizeof(bf_lard_thread)));
  for (long i = 0; i < count; ++i) threads[i] = bf_lard_thread_create(kStack);
  return threads;
}
__attribute__((no_sanitize("thread"))) bf_lard_thread nth(const bf_lard_thread* threads, long i) {
  return threads[i];
}

void take_turns(const bf_lard_thread* threads, long count) {
  const bf_lard_thread home = bf_lard_thread_current();
  for (long i = 0; i < 2 * count; ++i) {
    bf_lard_thread_switch(nth(threads, i % count), BF_LARD_SAME_STACK);
    bf_lard_acquire(&object);
    ++shared;
    bf_lard_release(&object);
  }
  bf_lard_thread_switch(home, BF_LARD_SAME_STACK);
}
}  // namespace

int main(int argc, char** argv) {
  const long count = argc > 1 ? atol(argv[1]) : 1;
  bf_lard_thread* threads = create(count);
  if (argc <= 2) take_turns(threads, count);
  bf_lard_acquire(&object);
  const bool as_expected = shared == (argc > 2 ? 0 : 2 * count);
  for (long i = 0; i < count; ++i) bf_lard_thread_destroy(nth(threads, i));
  free(threads);
  return as_expected ? 0 : 1;
}
