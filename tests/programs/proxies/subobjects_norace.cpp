// RUN: %clangxx %s %support -o %t
// RUN: %run_clean %t

// Neighbouring objects of one type, each used by another thread: base, member, elements of an
// array.
#include "script.h"
#include "spawn.h"

struct Vec {
  double x, y, z;
};
struct Ball : Vec {
  double radius;
  Vec speed;
};
alignas(64) Ball ball;
alignas(64) Vec row[8];

__attribute__((noinline)) void set(Vec* v, double d) {
  v->x = d;
  v->y = d;
  v->z = d;
}

__attribute__((noinline)) void set_even(Vec* v, int n, int first) {
  for (int i = first; i < n; i += 2) set(&v[i], i);
}

int main() {
  run_threads(
      [] {
        set(&ball, 1);
        set_even(row, 8, 0);
        script_post(0);
        set(&ball, 2);
      },
      [] {
        script_wait(0);
        ball.radius = 1;
        set(&ball.speed, 1);
        set_even(row, 8, 1);
      });
  for (Vec& v : row) keep(static_cast<long>(v.x + v.z));
  keep_object(&ball);
}
