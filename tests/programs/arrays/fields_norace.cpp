// RUN: %clangxx %s %support -o %t
// RUN: %run_clean %t
// RUN: env BIGFOOT_OPTIONS=array_shadow=segments %run_clean %t
// RUN: env BIGFOOT_OPTIONS=array_shadow=table %run_clean %t

// Each thread has a field of its own in every struct of an array.
#include "script.h"
#include "spawn.h"

struct Body {
  double position[3];
  int charge;
  float mass;
};
constexpr int kBodies = 200;

int main() {
  auto* bodies = new Body[kBodies]();
  run_threads(
      [=] {
        for (int i = 0; i < kBodies; ++i) bodies[i].charge = i;
      },
      [=] {
        for (int i = 0; i < kBodies; ++i) bodies[i].mass = static_cast<float>(i);
      },
      [=] {
        for (int i = 0; i < kBodies; ++i) bodies[i].position[1] = bodies[i].position[0] = i;
      });
  keep_object(bodies);
  delete[] bodies;
}
