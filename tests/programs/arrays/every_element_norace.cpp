// REQUIRES: bigfoot
// RUN: %clangxx %s %support -o %t
// RUN: %run_clean %t
// RUN: env BIGFOOT_OPTIONS=array_shadow=segments %run_clean %t
// RUN: env BIGFOOT_OPTIONS=array_shadow=table %run_clean %t

// A part of an array has one history, and a race with it is one of every element that was accessed:
// the handler is told of each of them, and of no other byte. Silent, because the handler is quiet.
#include <bigfoot/lard.h>

#include <atomic>
#include <cstdlib>
#include <cstring>

#include "script.h"
#include "spawn.h"

constexpr unsigned kBytes = 4096;
struct Record {
  int id;
  short kind, flags;
  double value;
};

unsigned char* memory;
int turns;  // of one_after_the_other, over all of its instances: a point of the script for each
// Atomic: what a thread did to an array may be judged when it ends, so both may be told at a time.
std::atomic<bool> racy[kBytes];

int handler(const bf_lard_race* race, void*) {
  const auto* begin = static_cast<const unsigned char*>(race->current.address);
  const auto* older = static_cast<const unsigned char*>(race->previous.address);
  const unsigned char* end = begin + race->current.bytes;
  if (older + race->previous.bytes < end) end = older + race->previous.bytes;
  for (const unsigned char* p = older > begin ? older : begin; p < end; ++p)
    racy[p - memory].store(true, std::memory_order_relaxed);
  return BF_LARD_QUIET;
}

void require_races(bool (*expected)(unsigned offset)) {
  for (unsigned i = 0; i < kBytes; ++i) require(racy[i] == expected(i));
}

// The same memory as another array each time, one thread after the other, unordered.
template <class First, class Second>
void one_after_the_other(const First& first, const Second& second, bool (*expected)(unsigned)) {
  const int done = turns++;
  for (auto& byte : racy) byte = false;
  memory = static_cast<unsigned char*>(std::calloc(1, kBytes));
  run_threads(
      [&] {
        first();
        script_post(done);
      },
      [&] {
        script_wait(done);
        second();
      });
  require_races(expected);
  std::free(memory);
}

__attribute__((noinline)) void write_words(unsigned first, unsigned last, unsigned step) {
  long* words = reinterpret_cast<long*>(memory);
  for (unsigned i = first; i < last; i += step) words[i] = i;
}
__attribute__((noinline)) void write_values(unsigned first, unsigned last) {
  Record* records = reinterpret_cast<Record*>(memory);
  for (unsigned i = first; i < last; ++i) records[i].value = i;
}
__attribute__((noinline)) void write_flags(unsigned first, unsigned last) {
  Record* records = reinterpret_cast<Record*>(memory);
  for (unsigned i = first; i < last; ++i) records[i].flags = 1;
}

int main() {
  bf_lard_on_race(handler, nullptr, BF_LARD_TELL);
  // A part of several elements.
  one_after_the_other([] { write_words(0, 300, 1); }, [] { write_words(100, 512, 1); },
                      [](unsigned i) { return i >= 800 && i < 2400; });
  // Every third element of such a part.
  one_after_the_other([] { write_words(0, 300, 1); }, [] { write_words(99, 512, 3); },
                      [](unsigned i) { return i >= 792 && i < 2400 && i / 8 % 3 == 0; });
  // Parts that are elements with others between them, met by one access over all.
  one_after_the_other([] { write_flags(10, 100); }, [] { std::memset(memory, 1, kBytes); },
                      [](unsigned i) { return i >= 160 && i < 1600 && i % 16 / 2 == 3; });
  one_after_the_other(
      [] {
        write_flags(10, 100);
        write_values(50, 200);
      },
      [] { write_words(0, 512, 1); },
      [](unsigned i) {
        const bool flags = i >= 160 && i < 1600 && i % 16 / 2 == 3;
        return flags || (i >= 800 && i < 3200 && i % 16 / 8 == 1);
      });
}
