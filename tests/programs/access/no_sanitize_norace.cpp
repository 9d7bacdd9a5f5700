// RUN: %clangxx %s %support -o %t
// RUN: %run_clean %t

// Functions marked no_sanitize("thread") are left alone, and code can ask whether checks are on.
#include "script.h"
#include "spawn.h"

#if !__has_feature(thread_sanitizer)
#error "instrumented code must see the feature"
#endif

long statistics;

__attribute__((no_sanitize("thread"))) void count_roughly() {
  ++statistics;
}

int main() {
  run_threads([] { count_roughly(); }, [] { count_roughly(); });
  keep_object(&statistics);
}
