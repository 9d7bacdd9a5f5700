#include "body.h"

void body_set(Body* b, double v) {
  b->mass = v;
  b->speed = v;  // RACE: first write 8
  b->heat = v;
}

double body_sum(const Body* b) {
  return b->mass + b->speed + b->heat;
}
