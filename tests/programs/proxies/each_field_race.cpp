// RUN: %clangxx -fPIC -shared %s -DAPART -o %t.so
// RUN: %clangxx %s %support -o %t
// RUN: %run_racy --groups=3,3 %t %t.so

// Fields that are always checked together share one shadow location. A race on one of them is a
// race on that one: the older access, which one check recorded for all of them, and the newer one.
#include "Inputs/vec.h"

#ifdef APART
extern "C" {
void set_x(Vec* v, double d) {
  v->x = d;  // RACE: x write 8 of Vec::x
}
void set_y(Vec* v, double d) {
  v->y = d;  // RACE: y write 8 of Vec::y
}
void set_z(Vec* v, double d) {
  v->z = d;  // RACE: z write 8 of Vec::z
}
}
#else
#include "Inputs/library.h"
#include "script.h"

alignas(64) Vec first, second, third;

__attribute__((noinline)) void set_first(Vec* v, double d) {
  v->x = d;  // RACE: x write 8 of Vec::x
  v->y = d;
  v->z = d;
}
__attribute__((noinline)) void set_second(Vec* v, double d) {
  v->x = d;
  v->y = d;  // RACE: y write 8 of Vec::y
  v->z = d;
}
__attribute__((noinline)) double sum(const Vec* v) {
  double all = v->x;
  all += v->y;
  all += v->z;  // RACE: z read 8 of Vec::z
  return all;
}

int main(int, char** arguments) {
  run_threads(
      [] {
        set_first(&first, 1);
        set_second(&second, 1);
        keep(static_cast<long>(sum(&third)));
        script_post(0);
      },
      [=] {
        script_wait(0);
        const Library apart(arguments[1]);
        apart.get<void(Vec*, double)>("set_x")(&first, 2);
        apart.get<void(Vec*, double)>("set_y")(&second, 2);
        apart.get<void(Vec*, double)>("set_z")(&third, 2);
      });
  keep_object(&first);
  keep_object(&second);
  keep_object(&third);
}
#endif
