// RUN: %clangxx %s %support -o %t
// RUN: %run_clean %t
// RUN: env BIGFOOT_OPTIONS=array_shadow=segments %run_clean %t
// RUN: env BIGFOOT_OPTIONS=array_shadow=table %run_clean %t

// Each thread has a field of its own in every struct of a global array. The structs of another one
// have locks in them, by which their counts are ordered.
#include "script.h"
#include "spawn.h"

struct Body {
  double position[3];
  int charge;
  float mass;
};
constexpr int kBodies = 200;
Body bodies[kBodies];

struct Account {
  pthread_mutex_t lock;
  long balance;
};
Account accounts[100];

void deposit() {
  for (Account& a : accounts) {
    pthread_mutex_lock(&a.lock);
    ++a.balance;
    pthread_mutex_unlock(&a.lock);
  }
}

int main() {
  for (Account& a : accounts) pthread_mutex_init(&a.lock, nullptr);
  run_threads(
      [] {
        for (int i = 0; i < kBodies; ++i) bodies[i].charge = i;
        deposit();
      },
      [] {
        for (int i = 0; i < kBodies; ++i) bodies[i].mass = static_cast<float>(i);
        deposit();
      });
  keep_object(bodies);
}
