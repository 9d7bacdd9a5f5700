// RUN: %clangxx %s %support -o %t
// RUN: %run_racy %t first
// RUN: %run_racy %t second

// Both branches access the same bytes, and a check behind them would be one for both. What is
// reported is the access of the branch that was taken, be it the earlier access of the race or the
// later one.
#include <cstring>
#include <initializer_list>

#include "script.h"
#include "spawn.h"

constexpr int kCount = 100;

struct alignas(64) Cell {
  long value;
  double second;
  int third;
};
struct alignas(64) Row {
  long values[kCount];
};

// What each branch does besides, so that the optimiser cannot make the branches' accesses one.
struct Scratch {
  long a, b, c, d;
};
__attribute__((noinline)) void one_way(Scratch* r) {
  r->a += r->b;
}
__attribute__((noinline)) void another_way(Scratch* r) {
  r->c -= r->d;
}
__attribute__((noinline)) void third_way(Scratch* r) {
  r->d *= r->a;
}

// A field that is read.
__attribute__((noinline)) long read_field(Scratch* r, const Cell* p, bool first) {
  long sum;
  if (first) {
    r->a = 5;
    sum = p->value + r->b;  // RACE: read1 read 8
  } else {
    r->d = 6;
    sum = p->value * r->c;  // RACE: read2 read 8
  }
  return sum;
}

// A field that is written.
__attribute__((noinline)) void write_field(Scratch* r, Cell* p, bool first) {
  if (first) {
    p->value = r->a;  // RACE: write1 write 8
    one_way(r);
  } else {
    p->value = r->b + 2;  // RACE: write2 write 8
    another_way(r);
  }
}

// Read in one branch, written in the other.
__attribute__((noinline)) long read_or_write(Scratch* r, Cell* p, bool first) {
  if (first) {
    r->a = p->value;  // RACE: mixed1 read 8
    return r->b;
  }
  p->value = r->c;  // RACE: mixed2 write 8
  r->d = 1;
  return r->a;
}

// Several fields: one range behind the branches.
__attribute__((noinline)) void write_fields(Scratch* r, Cell* p, bool first) {
  if (first) {
    p->value = r->a;
    p->second = 0.5;  // RACE: group1 write 8
    p->third = 3;
    one_way(r);
  } else {
    p->third = 4;
    p->second = 1.5;  // RACE: group2 write 8
    p->value = r->b;
    another_way(r);
  }
}

// A loop in each branch.
__attribute__((noinline)) void write_range(Scratch* r, Row* row, int n, bool first) {
  if (first) {
    r->a = 1;
    for (int i = 0; i < n; ++i) {
      row->values[i] = 3 * i;  // RACE: range1 write
    }
  } else {
    r->b = 2;
    for (int i = 0; i < n; ++i) {
      row->values[i] = i + 7;  // RACE: range2 write
    }
  }
}

__attribute__((noinline)) long choose(Scratch* r, const Cell* p, int way) {
  long sum = 0;
  switch (way) {
    case 0:
      r->a = 1;
      sum = r->b + p->value;  // RACE: switch1 read 8
      break;
    case 1:
      r->b = 1;
      sum = r->c - p->value;  // RACE: switch2 read 8
      break;
    default:
      r->c = 1;
      sum = r->d * p->value;  // RACE: switch3 read 8
  }
  return sum;
}

__attribute__((noinline)) long ternary(Scratch* r, const Cell* p, bool first) {
  return first ? (one_way(r), r->a + p->value)       // RACE: ternary1 read 8
               : (another_way(r), r->b * p->value);  // RACE: ternary2 read 8
}

__attribute__((noinline)) long leave_early(Scratch* r, const Cell* p, bool first) {
  if (first) {
    r->a = 1;
    return r->b + p->value;  // RACE: early1 read 8
  }
  r->b = 2;
  return r->c - p->value;  // RACE: early2 read 8
}

// One way in three accesses it by itself, after two branches: three ways into one block.
__attribute__((noinline)) void nested(Scratch* r, Cell* p, int way) {
  if (way < 2) {
    r->a = 1;
    if (way == 0) {
      p->value = r->b;  // RACE: nested1 write 8
      one_way(r);
    } else {
      p->value = r->c;  // RACE: nested2 write 8
      another_way(r);
    }
  } else {
    p->value = r->d;  // RACE: nested3 write 8
    third_way(r);
  }
}

Cell reads[2], writes[2], mixed[2], groups[2], cases[3], ternaries[2], returns[2], nests[3];
Row rows[2];

void all_forms() {
  Scratch r{};
  keep_object(&r);
  keep(read_field(&r, &reads[0], true));
  keep(read_field(&r, &reads[1], false));
  write_field(&r, &writes[0], true);
  write_field(&r, &writes[1], false);
  keep(read_or_write(&r, &mixed[0], true));
  keep(read_or_write(&r, &mixed[1], false));
  write_fields(&r, &groups[0], true);
  write_fields(&r, &groups[1], false);
  write_range(&r, &rows[0], kCount, true);
  write_range(&r, &rows[1], kCount, false);
  for (int way = 0; way < 3; ++way) keep(choose(&r, &cases[way], way));
  keep(ternary(&r, &ternaries[0], true));
  keep(ternary(&r, &ternaries[1], false));
  keep(leave_early(&r, &returns[0], true));
  keep(leave_early(&r, &returns[1], false));
  for (int way = 0; way < 3; ++way) nested(&r, &nests[way], way);
}

void disturb() {
  reads[0].value = 1;      // RACE: read1 write 8
  reads[1].value = 1;      // RACE: read2 write 8
  writes[0].value = 1;     // RACE: write1 write 8
  writes[1].value = 1;     // RACE: write2 write 8
  mixed[0].value = 1;      // RACE: mixed1 write 8
  mixed[1].value = 1;      // RACE: mixed2 write 8
  groups[0].second = 1;    // RACE: group1 write 8
  groups[1].second = 1;    // RACE: group2 write 8
  rows[0].values[70] = 1;  // RACE: range1 write 8
  rows[1].values[70] = 1;  // RACE: range2 write 8
  cases[0].value = 1;      // RACE: switch1 write 8
  cases[1].value = 1;      // RACE: switch2 write 8
  cases[2].value = 1;      // RACE: switch3 write 8
  ternaries[0].value = 1;  // RACE: ternary1 write 8
  ternaries[1].value = 1;  // RACE: ternary2 write 8
  returns[0].value = 1;    // RACE: early1 write 8
  returns[1].value = 1;    // RACE: early2 write 8
  nests[0].value = 1;      // RACE: nested1 write 8
  nests[1].value = 1;      // RACE: nested2 write 8
  nests[2].value = 1;      // RACE: nested3 write 8
}

int main(int argc, char** argv) {
  const bool forms_first = argc > 1 && strcmp(argv[1], "first") == 0;
  run_threads(
      [&] {
        if (!forms_first) script_wait(0);
        all_forms();
        if (forms_first) script_post(0);
      },
      [&] {
        if (forms_first) script_wait(0);
        disturb();
        if (!forms_first) script_post(0);
      });
  for (const Cell* cells : {reads, writes, mixed, groups, cases, ternaries, returns, nests})
    keep_object(cells);
  keep_object(rows);
}
