// RUN: %clangxx %s %support -o %t
// RUN: %run_racy %t
// RUN: env BIGFOOT_OPTIONS=array_shadow=segments %run_racy %t
// RUN: env BIGFOOT_OPTIONS=array_shadow=table %run_racy %t

// Each thread has a field of its own in every struct of a global array; one of them touches the
// other's once.
#include "script.h"
#include "spawn.h"

struct Body {
  double position[3];
  int charge;
  float mass;
};
constexpr int kBodies = 200;
Body bodies[kBodies];

__attribute__((noinline)) void charge() {
  for (int i = 0; i < kBodies; ++i) bodies[i].charge = i;  // RACE: write 4
}
__attribute__((noinline)) void weigh() {
  for (int i = 0; i < kBodies; ++i) bodies[i].mass = static_cast<float>(i);
  bodies[117].charge = 0;  // RACE: write 4
}

int main() {
  run_threads([] { charge(); }, [] { weigh(); });
  keep_object(bodies);
}
