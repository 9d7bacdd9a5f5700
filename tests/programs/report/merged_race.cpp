// RUN: %clangxx %s %support -o %t
// RUN: %run_racy %t

// One check stands for many accesses, and the race is with one of them: that one is to be named.
#include "script.h"
#include "spawn.h"

constexpr int kCount = 100;

struct Sample {
  double value;
  long unused;
  long weight;
  long also_unused;
};
alignas(64) Sample samples[kCount];
alignas(64) long window[kCount + 2], sums[kCount + 2];
struct Group {
  long first, second, third, fourth;
};
alignas(64) Group group;

// Two fields of every element: one strided check, which has a share for each.
__attribute__((noinline)) void fill_fields(Sample* s, int n) {
  for (int i = 0; i < n; ++i) {
    s[i].value = i;
    s[i].weight = i;  // RACE: field write of Sample::weight
  }
}

// Three reads that overlap: only the third reaches the last element.
__attribute__((noinline)) void add_neighbours(const long* from, long* to, int n) {
  for (int i = 1; i < n; ++i) {
    const long left = from[i - 1];
    const long middle = from[i];
    const long right = from[i + 1];  // RACE: window read
    to[i] = left + middle + right;
  }
}

// Fields that are checked together.
__attribute__((noinline)) void set_group(Group* g) {
  g->first = 1;
  g->second = 2;
  g->third = 3;  // RACE: group write of Group::third
}

__attribute__((noinline)) void disturb() {
  samples[70].weight = 0;  // RACE: field write 8 of Sample::weight
  window[kCount] = 0;      // RACE: window write 8 of nothing
  group.third = 0;         // RACE: group write 8 of Group::third
}

int main() {
  run_threads(
      [] {
        fill_fields(samples, kCount);
        add_neighbours(window, sums, kCount);
        set_group(&group);
      },
      [] { disturb(); });
  keep_object(samples);
  keep_object(sums);
  keep_object(&group);
}
