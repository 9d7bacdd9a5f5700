// RUN: %clangxx -fPIC -shared %s -DAPART -o %t.so
// RUN: %clangxx %s %support -o %t
// RUN: %run_racy --groups=3,3 %t %t.so

// A base class, a member and an element of an array have the same type and stand beside other
// fields; a check of one object is not one of its neighbour.
#include "Inputs/vec.h"

#ifdef APART
extern "C" {
double base_z(const Ball* b) {
  return b->z;  // RACE: base read 8 of Vec::z
}
double member_x(const Ball* b) {
  return b->speed.x;  // RACE: member read 8 of Vec::x
}
double element_z(const Vec* row) {
  return row[2].z;  // RACE: element read 8 of Vec::z
}
// What lies around the three.
void set_neighbours(Ball* b, Vec* row) {
  b->radius = 1;
  row[1].z = 1;
  row[3].x = 1;
}
}
#else
#include "Inputs/library.h"
#include "script.h"

alignas(64) Ball ball;
alignas(64) Vec row[4];

__attribute__((noinline)) void set_base(Vec* v) {
  v->x = 1;
  v->y = 2;
  v->z = 3;  // RACE: base write 8 of Vec::z
}
__attribute__((noinline)) void set_member(Vec* v) {
  v->x = 1;  // RACE: member write of Vec::x
  v->y = 2;
  v->z = 3;
}
__attribute__((noinline)) void set_element(Vec* v) {
  v->x = 1;
  v->y = 2;
  v->z = 3;  // RACE: element write 8 of Vec::z
}

int main(int, char** arguments) {
  run_threads(
      [] {
        set_base(&ball);
        set_member(&ball.speed);
        set_element(&row[2]);
        script_post(0);
      },
      [=] {
        script_wait(0);
        const Library apart(arguments[1]);
        apart.get<void(Ball*, Vec*)>("set_neighbours")(&ball, row);
        keep(static_cast<long>(apart.get<double(const Ball*)>("base_z")(&ball)));
        keep(static_cast<long>(apart.get<double(const Ball*)>("member_x")(&ball)));
        keep(static_cast<long>(apart.get<double(const Vec*)>("element_z")(row)));
      });
  keep_object(&ball);
  keep_object(row);
}
#endif
