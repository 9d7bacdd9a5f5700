// RUN: %clangxx %s %support -o %t
// RUN: %run_racy %t

// The destructor of a global runs at exit; a thread that is not ordered before that still uses it.
// The race shows after main has returned and must count for the exit code.
#include "script.h"
#include "spawn.h"

struct Log {
  int entries = 0;
  ~Log() {
    entries = -1;  // RACE: write 4
    keep_object(this);
  }
} log_book;

int main() {
  auto writer = [] {
    log_book.entries = 1;  // RACE: write 4
    script_post(0);
  };
  static auto body = writer;
  pthread_detach(start_thread(body));
  script_wait(0);
}
