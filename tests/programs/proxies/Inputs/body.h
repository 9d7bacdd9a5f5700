// A type whose fields one file always uses together, and another file does not.
#pragma once

struct Body {
  double mass, speed, heat;
};

extern "C" {
// The fields together: body_together.cpp.
void body_set(Body* b, double v);
double body_sum(const Body* b);
// One of them: body_apart.cpp.
void body_set_speed(Body* b, double v);
double body_mass(const Body* b);
}
