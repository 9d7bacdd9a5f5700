// RUN: %clangxx %s %support -o %t
// RUN: %run_racy %t

// Fields that are always checked together share one shadow location. A race on one of them is a
// race on that one: the older access, which one check recorded for all of them, and the newer one.
#include "script.h"
#include "spawn.h"

struct Vec {
  double x, y, z;
};
alignas(64) Vec first, second, third;

__attribute__((noinline)) void set_first(Vec* v, double d) {
  v->x = d;  // RACE: x write 8
  v->y = d;
  v->z = d;
}
__attribute__((noinline)) void set_second(Vec* v, double d) {
  v->x = d;
  v->y = d;  // RACE: y write 8
  v->z = d;
}
__attribute__((noinline)) double sum(const Vec* v) {
  double all = v->x;
  all += v->y;
  all += v->z;  // RACE: z read 8
  return all;
}

int main() {
  run_threads(
      [] {
        set_first(&first, 1);
        set_second(&second, 1);
        keep(static_cast<long>(sum(&third)));
        script_post(0);
      },
      [] {
        script_wait(0);
        first.x = 2;   // RACE: x write 8
        second.y = 2;  // RACE: y write 8
        third.z = 2;   // RACE: z write 8
      });
  keep_object(&first);
  keep_object(&second);
  keep_object(&third);
}
