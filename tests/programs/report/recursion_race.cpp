// REQUIRES: bigfoot
// RUN: %clangxx %s %support -o %t
// RUN: %run_racy %t first
// RUN: %run_racy %t second
// RUN: %not %t first 2>&1 | %filecheck %s
// RUN: %not %t second 2>&1 | %filecheck %s

// The stacks of accesses in functions that call themselves, be the access the earlier one of its
// race or the later one: such a function is there once, at the line of the innermost call, and the
// frame says that there were others; what follows is who called it first. (No twin: this is about
// what a report says.)
#include <setjmp.h>

#include <cstring>

#include "script.h"
#include "spawn.h"

struct alignas(64) Cell {
  long value;
};
Cell once, straight, ways, below, even_odd, inner, pointed, caught, rethrown, jumped, tail;

// Not called by itself yet.
// CHECK: #0 not_yet(int) {{.*}}:[[#@LINE+3]]:{{[0-9]+}} ({{[^ ]*}}){{$}}
// CHECK-NEXT: #1 recurse(
__attribute__((noinline)) long not_yet(int depth) {
  if (depth == 9) once.value = 1;  // RACE: once write 8
  if (depth == 0) return 1;
  const long sum = not_yet(depth - 1);
  keep(sum);
  return sum + 1;
}

// CHECK: #0 direct(int) {{.*}}:[[#@LINE+4]]:{{[0-9]+}} ({{[^ ]*}}) (recursive: {{.*}} not kept)
// CHECK-NEXT: #1 recurse(
__attribute__((noinline)) long direct(int depth) {
  if (depth == 0) {
    straight.value = 1;  // RACE: straight write 8
    return 1;
  }
  const long sum = direct(depth - 1);
  keep(sum);
  return sum + 1;
}

// From several places, in several rounds of a loop, some of them unrolled.
// CHECK: #0 tree(int) {{.*}}:[[#@LINE+4]]:{{[0-9]+}} ({{[^ ]*}}) (recursive: {{.*}})
// CHECK-NEXT: #1 recurse(
__attribute__((noinline)) long tree(int depth) {
  long sum = 0;
  if (depth == 0) ways.value = 1;  // RACE: ways write 8
  if (depth == 0) return 1;
  for (int i = 0; i < 4; ++i) sum += tree(depth - 1);
  keep(sum);
  return sum + tree(depth - 1);
}

// What a recursive function calls.
__attribute__((noinline)) void leaf() {
  below.value = 1;  // RACE: below write 8
}
// CHECK: #0 leaf() {{.*}} ({{[^ ]*}}){{$}}
// CHECK-NEXT: #1 with_leaf(int) {{.*}}:[[#@LINE+3]]:{{[0-9]+}} ({{[^ ]*}}) (recursive: {{.*}})
// CHECK-NEXT: #2 recurse(
__attribute__((noinline)) long with_leaf(int depth) {
  if (depth == 0) leaf();
  if (depth == 0) return 1;
  const long sum = with_leaf(depth - 1);
  keep(sum);
  return sum + 1;
}

// Functions that call each other are all there.
// CHECK: #0 odd(int) {{.*}} ({{[^ ]*}}){{$}}
// CHECK-NEXT: #1 even(int) {{.*}} ({{[^ ]*}}){{$}}
// CHECK-NEXT: #2 odd(int) {{.*}} ({{[^ ]*}}){{$}}
// CHECK-NEXT: #3 even(int) {{.*}} ({{[^ ]*}}){{$}}
// CHECK-NEXT: #4 recurse(
long odd(int depth);
__attribute__((noinline)) long even(int depth) {
  const long sum = odd(depth - 1);
  keep(sum);
  return sum + 1;
}
__attribute__((noinline)) long odd(int depth) {
  if (depth == 0) {
    even_odd.value = 1;  // RACE: even_odd write 8
    return 1;
  }
  const long sum = even(depth - 1);
  keep(sum);
  return sum + 1;
}

// One recursion in another.
// CHECK: #0 inner_one(int) {{.*}} ({{[^ ]*}}) (recursive: {{.*}})
// CHECK-NEXT: #1 outer_one(int) {{.*}} ({{[^ ]*}}) (recursive: {{.*}})
// CHECK-NEXT: #2 recurse(
__attribute__((noinline)) long inner_one(int depth) {
  if (depth == 0) {
    inner.value = 1;  // RACE: inner write 8
    return 1;
  }
  const long sum = inner_one(depth - 1);
  keep(sum);
  return sum + 1;
}
__attribute__((noinline)) long outer_one(int depth) {
  const long sum = depth == 0 ? inner_one(9) : outer_one(depth - 1);
  keep(sum);
  return sum + 1;
}

// A function that calls itself without naming itself.
struct Shape {
  virtual ~Shape() = default;
  virtual long area(int depth) = 0;
};
struct Group final : Shape {
  Shape* part = nullptr;
  long area(int depth) override;
};
// CHECK: #0 Group::area(int) {{.*}}:[[#@LINE+4]]:{{[0-9]+}} ({{[^ ]*}}) (recursive: {{.*}})
// CHECK-NEXT: #1 recurse(
__attribute__((noinline)) long Group::area(int depth) {
  if (depth == 0) {
    pointed.value = 1;  // RACE: pointed write 8
    return 1;
  }
  const long sum = part->area(depth - 1);
  keep(sum);
  return sum + 1;
}

__attribute__((noinline)) long thrower(int depth) {
  if (depth == 0) throw 1;
  const long sum = thrower(depth - 1);
  keep(sum);
  return sum + 1;
}
// All calls of the recursion have gone.
// CHECK: #0 catches_outside() {{.*}} ({{[^ ]*}}){{$}}
// CHECK-NEXT: #1 recurse(
__attribute__((noinline)) void catches_outside() {
  try {
    keep(thrower(9));
  } catch (int) {
    caught.value = 1;  // RACE: caught write 8
  }
}

// Some have: it is caught, thrown again and caught in the middle.
// CHECK: #0 catches_inside(int) {{.*}}:[[#@LINE+8]]:{{[0-9]+}} ({{[^ ]*}}) (recursive: {{.*}})
// CHECK-NEXT: #1 recurse(
__attribute__((noinline)) long catches_inside(int depth) {
  long sum = 0;
  try {
    sum = depth == 0 ? thrower(9) : catches_inside(depth - 1);
  } catch (int) {
    if (depth < 5) throw;
    rethrown.value = 1;  // RACE: rethrown write 8
  }
  keep(sum);
  return sum + 1;
}

// The same by longjmp: what is left is the first call.
thread_local jmp_buf start;
__attribute__((noinline)) long jumps(int depth) {
  if (depth == 0) longjmp(start, 1);
  const long sum = jumps(depth - 1);
  keep(sum);
  return sum + 1;
}
// CHECK: #0 returns_twice(int) {{.*}}:[[#@LINE+4]]:{{[0-9]+}} ({{[^ ]*}}){{$}}
// CHECK-NEXT: #1 recurse(
__attribute__((noinline)) long returns_twice(int depth) {
  if (depth == 9 && setjmp(start) != 0) {
    jumped.value = 1;  // RACE: jumped write 8
    return 1;
  }
  const long sum = depth == 0 ? jumps(9) : returns_twice(depth - 1);
  keep(sum);
  return sum + 1;
}

// A call of itself that takes the place of its caller: that one's frame is gone.
// CHECK: #0 in_place(int) {{.*}} ({{[^ ]*}}){{$}}
// CHECK-NEXT: #1 recurse(
__attribute__((noinline)) long in_place(int depth) {
  keep(depth);
  if (depth == 0) {
    tail.value = 1;  // RACE: tail write 8
    return 1;
  }
  [[clang::musttail]] return in_place(depth - 1);
}

__attribute__((noinline)) void recurse(Shape* shape) {
  keep(not_yet(9));
  keep(direct(9));
  keep(tree(3));
  keep(with_leaf(9));
  keep(even(3));
  keep(outer_one(9));
  keep(shape->area(9));
  catches_outside();
  keep(catches_inside(9));
  keep(returns_twice(9));
  keep(in_place(9));
}

__attribute__((noinline)) void disturb() {
  keep(once.value);      // RACE: once read 8
  keep(straight.value);  // RACE: straight read 8
  keep(ways.value);      // RACE: ways read 8
  keep(below.value);     // RACE: below read 8
  keep(even_odd.value);  // RACE: even_odd read 8
  keep(inner.value);     // RACE: inner read 8
  keep(pointed.value);   // RACE: pointed read 8
  keep(caught.value);    // RACE: caught read 8
  keep(rethrown.value);  // RACE: rethrown read 8
  keep(jumped.value);    // RACE: jumped read 8
  keep(tail.value);      // RACE: tail read 8
}

int main(int argc, char** argv) {
  const bool recursion_first = argc > 1 && strcmp(argv[1], "first") == 0;
  Group ring;
  ring.part = &ring;
  keep_object(&ring);
  run_threads(
      [&] {
        if (!recursion_first) script_wait(0);
        recurse(&ring);
        if (recursion_first) script_post(0);
      },
      [&] {
        if (recursion_first) script_wait(0);
        disturb();
        if (!recursion_first) script_post(0);
      });
}
