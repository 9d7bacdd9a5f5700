// RUN: %clangxx %s %support -o %t
// RUN: %run_clean %t

// Copies in a loop may be checked behind it, all at once; what lies between the rows is not part of
// that.
#include <cstddef>
#include <cstring>

#include "script.h"
#include "spawn.h"

constexpr std::size_t kRows = 40, kColumns = 16;
alignas(64) long table[kRows][kColumns];
alignas(64) long filled[kRows][kColumns];
alignas(64) long halves[kRows][kColumns / 2];

void copy_halves(std::size_t rows) {
  for (std::size_t i = 0; i < rows; ++i) std::memcpy(halves[i], table[i], sizeof halves[i]);
}

void fill_halves(std::size_t rows) {
  for (std::size_t i = 0; i < rows; ++i) std::memset(filled[i] + kColumns / 2, 1, sizeof halves[i]);
}

int main() {
  keep_object(&table);
  keep_object(&filled);
  std::size_t rows = kRows;
  keep_object(&rows);
  run_threads(
      [rows] {
        copy_halves(rows);
        fill_halves(rows);
      },
      [] {
        table[23][8] = 1;
        keep(filled[39][7]);
      });
  keep_object(&halves);
}
