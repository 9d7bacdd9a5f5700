// RUN: %clangxx %s %support -o %t
// RUN: %run_racy %t

// Two threads read the same variable without order, in a new epoch each time: what is
// remembered of each is its last read. The writer knows of all but the first thread's last one.
#include "script.h"
#include "spawn.h"

int shared = 1;
pthread_mutex_t own[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
pthread_mutex_t handed = PTHREAD_MUTEX_INITIALIZER;

void read_often(int reader) {
  for (int i = 0; i < 10; ++i) {
    pthread_mutex_lock(&own[reader]);
    keep(shared);
    pthread_mutex_unlock(&own[reader]);
  }
}

int main() {
  auto first = [] {
    read_often(0);
    script_post(0);
    script_wait(1);
    read_often(0);
    pthread_mutex_lock(&handed);
    pthread_mutex_unlock(&handed);
    keep(shared + 1);  // RACE: read 4
    script_post(2);
  };
  auto second = [] {
    script_wait(0);
    read_often(1);
    script_post(1);
  };
  pthread_t one = start_thread(first), other = start_thread(second);
  join_thread(other);
  script_wait(2);
  pthread_mutex_lock(&handed);
  pthread_mutex_unlock(&handed);
  shared = 2;  // RACE: write 4
  join_thread(one);
}
