#include "body.h"

void body_set_speed(Body* b, double v) {
  b->speed = v;  // RACE: first write 8
}

double body_mass(const Body* b) {
  return b->mass;
}
