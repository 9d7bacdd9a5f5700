// RUN: %clangxx %s %support -o %t
// RUN: %run_clean %t

// A walk reads one element in each of several rows and may end before it reads the next. Each
// element is one of the row that was read then, not of the row that was read last.
#include <cstddef>

#include "script.h"
#include "spawn.h"

struct Cell {
  const void* data;
  std::size_t length;
};
struct Walk {
  const Cell* row;
  const Cell* next;
};

constexpr std::size_t kCells = 12;
Cell first[kCells], second[kCells];

std::size_t walk(Walk* w, std::size_t from, std::size_t enough) {
  std::size_t sum = 1, i = from;
  while (sum < enough) {
    if (i == 0) return 0;
    --i;
    sum += w->row[i].length;
    w->row = w->next;
  }
  return sum;
}

int main() {
  for (std::size_t i = 0; i < kCells; ++i) first[i].length = second[i].length = 1;
  Walk w{first, second};
  keep_object(&w);
  run_threads(
      [&w] {
        keep(static_cast<long>(walk(&w, kCells, 100)));
        script_post(0);
      },
      [] {
        script_wait(0);
        second[kCells - 1].length = 2;
      });
}
