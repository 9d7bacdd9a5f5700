// RUN: %clangxx %s %support -o %t
// RUN: %run_racy --groups=4,4 %t

// Objects whose fields share a location, touched as bytes: copied, one character of them, another
// member of a union, as a type they do not have.
#include <cstring>

#include "script.h"
#include "spawn.h"

struct Vec {
  double x, y, z;
};
union Both {
  Vec fields;
  int words[6];
};
alignas(64) Vec copied, poked, seen;
alignas(64) Both both;
alignas(64) unsigned char buffer[16];
volatile int middle = 20;

__attribute__((noinline)) void set_copied(Vec* v) {
  v->x = 1;
  v->y = 2;
  v->z = 3;  // RACE: copied write
}
__attribute__((noinline)) void set_poked(Vec* v) {
  v->x = 1;
  v->y = 2;
  v->z = 3;  // RACE: poked write
}
__attribute__((noinline)) void set_both(Vec* v) {
  v->x = 1;  // RACE: union write
  v->y = 2;
  v->z = 3;
}
__attribute__((noinline)) void set_seen(Vec* v) {
  v->x = 1;
  v->y = 2;
  v->z = 3;  // RACE: punned write
}

int main() {
  run_threads(
      [] {
        set_copied(&copied);
        set_poked(&poked);
        set_both(&both.fields);
        set_seen(&seen);
        script_post(0);
      },
      [] {
        script_wait(0);
        memcpy(buffer, reinterpret_cast<char*>(&copied) + 16, 8);            // RACE: copied read
        keep(reinterpret_cast<unsigned char*>(&poked)[middle]);              // RACE: poked read 1
        keep(both.words[1]);                                                 // RACE: union read 4
        keep(reinterpret_cast<long __attribute__((may_alias))*>(&seen)[2]);  // RACE: punned read 8
      });
  keep_object(buffer);
  keep_object(&copied);
  keep_object(&poked);
  keep_object(&both);
  keep_object(&seen);
}
