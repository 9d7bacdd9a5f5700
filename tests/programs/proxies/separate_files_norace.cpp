// RUN: %clangxx -c %S/Inputs/body_together.cpp -o %t.1.o
// RUN: %clangxx -c %S/Inputs/body_apart.cpp -o %t.2.o
// RUN: %clangxx %s %t.1.o %t.2.o %support -o %t
// RUN: %run_clean --groups=0 %t
// RUN: env BIGFOOT_OPTIONS=proxies=always %run_clean --groups=1,1 \
// RUN:   --groups-at=O1,O2,O3 %t
// RUN: %clangxx -fPIC -shared %S/Inputs/body_apart.cpp -o %t.so
// RUN: %clangxx %s %t.1.o %t.so %support -o %t.shared
// RUN: %run_clean --groups=0 %t.shared
// RUN: env BIGFOOT_OPTIONS=proxies=always %run_clean --groups=1,1 %t.shared

// One file sets all fields at once, another (or a shared library) one of them, under a lock. The
// run time knows from both that no group would last; told to form it all the same, it has to cut.
#include "Inputs/body.h"
#include "script.h"
#include "spawn.h"

Body* body;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

int main() {
  body = new Body();
  auto one_field = [] {
    script_wait(0);
    pthread_mutex_lock(&mutex);
    keep(static_cast<long>(body_mass(body)));
    body_set_speed(body, 2);
    pthread_mutex_unlock(&mutex);
  };
  pthread_t thread = start_thread(one_field);
  pthread_mutex_lock(&mutex);
  body_set(body, 1);
  pthread_mutex_unlock(&mutex);
  script_post(0);
  pthread_mutex_lock(&mutex);
  body_set(body, 3);
  pthread_mutex_unlock(&mutex);
  join_thread(thread);
  delete body;
}
