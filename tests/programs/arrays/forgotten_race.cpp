// RUN: %clangxx %s %support -o %t
// RUN: %run_racy %t
// RUN: env BIGFOOT_OPTIONS=array_shadow=segments %run_racy %t

// An array gets a history for every element, and two threads that hand it to each other know all of
// them; a third, which has not synchronised since, knows none: nothing may be forgotten.
#include "script.h"
#include "spawn.h"

constexpr int kSize = 4096, kRounds = 400;  // there may be one history for 8 elements
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

int main() {
  long* cells = new long[kSize]();
  auto late = [=] {
    script_wait(2);
    cells[100] = 1;  // RACE: write 8
  };
  auto writer = [=] {
    for (int i = 0; i < kRounds; ++i) {
      script_wait_for(0, i + 1);
      pthread_mutex_lock(&lock);
      cells[i] = i;  // RACE: write 8
      pthread_mutex_unlock(&lock);
      script_post(1);
    }
  };
  pthread_t third = start_thread(late), other = start_thread(writer);
  for (int i = 0; i < kRounds; ++i) {
    script_post(0);
    script_wait_for(1, i + 1);
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
  }
  script_post(2);
  join_thread(third);
  join_thread(other);
  keep_object(cells);
  delete[] cells;
}
