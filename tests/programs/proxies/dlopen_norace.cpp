// RUN: %clangxx -fPIC -shared %S/Inputs/body_apart.cpp -o %t.so
// RUN: %clangxx %s %S/Inputs/body_together.cpp %support -o %t
// RUN: %run_clean --groups=1,1 %t %t.so

// Objects whose fields share a location exist already when a library is opened that uses one field
// of them. They keep their history.
#include <dlfcn.h>

#include "Inputs/body.h"
#include "script.h"
#include "spawn.h"

Body* body;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

int main(int, char** arguments) {
  body = new Body();
  auto open = [=] {
    script_wait(0);
    void* library = dlopen(arguments[1], RTLD_NOW);
    require(library != nullptr);
    auto* set_speed = reinterpret_cast<void (*)(Body*, double)>(dlsym(library, "body_set_speed"));
    pthread_mutex_lock(&mutex);
    set_speed(body, 2);
    pthread_mutex_unlock(&mutex);
  };
  pthread_t thread = start_thread(open);
  pthread_mutex_lock(&mutex);
  body_set(body, 1);
  pthread_mutex_unlock(&mutex);
  script_post(0);
  join_thread(thread);
  keep(static_cast<long>(body_sum(body)));
  delete body;
}
