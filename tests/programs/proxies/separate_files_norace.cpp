// RUN: %clangxx -c %S/Inputs/body_together.cpp -o %t.1.o
// RUN: %clangxx -c %S/Inputs/body_apart.cpp -o %t.2.o
// RUN: %clangxx %s %t.1.o %t.2.o %support -o %t
// RUN: %run_clean %t

// One file sets all fields at once, another one of them, under a lock.
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
