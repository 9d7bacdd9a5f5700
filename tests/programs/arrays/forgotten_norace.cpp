// RUN: %clangxx %s %support -o %t
// RUN: %run_clean %t
// RUN: env BIGFOOT_OPTIONS=array_shadow=segments %run_clean %t

// As forgotten_race.cpp, but the third thread learns of it all before its write.
#include "script.h"
#include "spawn.h"

constexpr int kSize = 4096, kRounds = 400;  // there may be one history for 8 elements
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

int main() {
  long* cells = new long[kSize]();
  auto late = [=] {
    script_wait(2);
    pthread_mutex_lock(&lock);
    cells[100] = 1;
    pthread_mutex_unlock(&lock);
  };
  auto writer = [=] {
    for (int i = 0; i < kRounds; ++i) {
      script_wait_for(0, i + 1);
      pthread_mutex_lock(&lock);
      cells[i] = i;
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
