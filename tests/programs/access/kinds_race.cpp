// RUN: %clangxx %s %support -o %t
// RUN: %run_racy %t

// The three conflicts: write-write, read then write, write then read. The script fixes which access
// comes second, so each rule of the detector is taken once.
#include "script.h"
#include "spawn.h"

alignas(64) int write_write;
alignas(64) int read_write;
alignas(64) int write_read;

int main() {
  run_threads(
      [] {
        write_write = 1;   // RACE: ww write 4
        keep(read_write);  // RACE: rw read 4
        write_read = 1;    // RACE: wr write 4
        script_post(0);
      },
      [] {
        script_wait(0);
        write_write = 2;   // RACE: ww write 4
        read_write = 2;    // RACE: rw write 4
        keep(write_read);  // RACE: wr read 4
      });
  keep(write_write + read_write + write_read);
}
