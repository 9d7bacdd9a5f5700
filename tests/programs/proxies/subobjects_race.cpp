// RUN: %clangxx %s %support -o %t
// RUN: %run_racy %t

// A base class, a member and an element of an array have the same type and stand beside other
// fields; a check of one object is not one of its neighbour.
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
alignas(64) Vec row[4];

__attribute__((noinline)) void set_base(Vec* v) {
  v->x = 1;
  v->y = 2;
  v->z = 3;  // RACE: base write
}
__attribute__((noinline)) void set_member(Vec* v) {
  v->x = 1;  // RACE: member write
  v->y = 2;
  v->z = 3;
}
__attribute__((noinline)) void set_element(Vec* v) {
  v->x = 1;
  v->y = 2;
  v->z = 3;  // RACE: element write
}

int main() {
  run_threads(
      [] {
        set_base(&ball);
        set_member(&ball.speed);
        set_element(&row[2]);
        script_post(0);
      },
      [] {
        script_wait(0);
        ball.radius = 1;
        row[1].z = 1;
        row[3].x = 1;
        keep(static_cast<long>(ball.z));        // RACE: base read 8
        keep(static_cast<long>(ball.speed.x));  // RACE: member read 8
        keep(static_cast<long>(row[2].z));      // RACE: element read 8
      });
  keep_object(&ball);
  keep_object(row);
}
