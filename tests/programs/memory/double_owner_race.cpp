// RUN: %clangxx %s %support -o %t
// RUN: %run_racy %t

// Two threads share an object; one deletes it without waiting for the other.
#include "script.h"
#include "spawn.h"

struct Job {
  int steps[10] = {};
};

int main() {
  auto* job = new Job;
  run_threads(
      [=] {
        job->steps[9] = 1;  // RACE: write 4
        script_post(0);
      },
      [=] {
        script_wait(0);
        delete job;  // RACE: write
      });
}
