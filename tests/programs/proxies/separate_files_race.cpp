// RUN: %clangxx -c %S/Inputs/body_together.cpp -o %t.1.o
// RUN: %clangxx -c %S/Inputs/body_apart.cpp -o %t.2.o
// RUN: %clangxx %s %t.1.o %t.2.o %support -o %t
// RUN: %run_racy --source %S/Inputs/body_together.cpp \
// RUN:   --source %S/Inputs/body_apart.cpp --groups=0 %t
// RUN: env BIGFOOT_OPTIONS=proxies=always %run_racy --source %S/Inputs/body_together.cpp \
// RUN:   --source %S/Inputs/body_apart.cpp --groups=1,1 --groups-at=O1,O2,O3 %t
// RUN: %clangxx -fPIC -shared %S/Inputs/body_apart.cpp -o %t.so
// RUN: %clangxx %s %t.1.o %t.so %support -o %t.shared
// RUN: %run_racy --source %S/Inputs/body_together.cpp \
// RUN:   --source %S/Inputs/body_apart.cpp --groups=0 %t.shared
// RUN: env BIGFOOT_OPTIONS=proxies=always %run_racy --source %S/Inputs/body_together.cpp \
// RUN:   --source %S/Inputs/body_apart.cpp --groups=1,1 %t.shared

// One file sets all fields at once, another uses one of them: what the first knows of the type does
// not hold, and no group is formed. If it is formed all the same, the other file's accesses cut it.
// The same if the other file is a shared library. In the end nothing orders the two.
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
    pthread_mutex_unlock(&mutex);
    script_post(1);
    script_wait(2);
    body_set_speed(body, 2);
  };
  pthread_t thread = start_thread(one_field);
  pthread_mutex_lock(&mutex);
  body_set(body, 1);
  pthread_mutex_unlock(&mutex);
  script_post(0);
  script_wait(1);
  pthread_mutex_lock(&mutex);
  body_set(body, 3);
  pthread_mutex_unlock(&mutex);
  script_post(2);
  join_thread(thread);
  delete body;
}
