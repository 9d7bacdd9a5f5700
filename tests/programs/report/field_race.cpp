// RUN: %clangxx %s %support -o %t
// RUN: %run_racy %t

// A report names the member that was accessed, by its type: through casts, bases, arrays of
// structs, structs within structs, and not where several members share the bytes. (No twin: this is
// about words.)
#include "script.h"
#include "spawn.h"

namespace bank {
struct Base {
  long count;
};
struct Point {
  long x, y;
};
struct Account : Base {
  long balance;
  Point corner;
  struct {
    long daily;
  } limits;
  union {
    long number;
    double real;
  };
  unsigned low : 3, high : 5;
};
}  // namespace bank

namespace {
template <class T>
struct Box {
  T first, second;
};
struct Hidden {
  long a, b;
};
typedef struct {
  long before, after;
} Unnamed;
}  // namespace

alignas(64) bank::Account base_part, own_part, inner_part, unnamed_part, shared_part, bit_part;
alignas(64) bank::Account row[4];
alignas(64) long through_cast[2];
alignas(64) Box<long> box;
alignas(64) Unnamed pair;
alignas(64) bank::Point mixed;
alignas(64) long plain;

__attribute__((noinline)) void first(bank::Account* a, void* cast, int index, Box<long>* b) {
  a->count = 1;                       // RACE: base write 8 of bank::Base::count
  own_part.balance = 1;               // RACE: own write 8 of bank::Account::balance
  inner_part.corner.y = 1;            // RACE: inner write 8 of bank::Point::y
  unnamed_part.limits.daily = 1;      // RACE: unnamed write 8 of bank::Account::limits.daily
  shared_part.number = 1;             // RACE: shared write 8 of nothing
  bit_part.low = 1;                   // RACE: bits read, write of nothing
  row[index].corner.x = 1;            // RACE: row write 8 of bank::Point::x
  static_cast<Hidden*>(cast)->b = 1;  // RACE: cast write 8 of (anonymous namespace)::Hidden::b
  b->second = 1;   // RACE: box write 8 of (anonymous namespace)::Box<long>::second
  pair.after = 1;  // RACE: pair write 8 of (anonymous namespace)::Unnamed::after
  __atomic_store_n(&mixed.y, 1, 0);  // RACE: mixed atomic write 8 of bank::Point::y
  plain = 1;                         // RACE: plain write 8 of nothing
}

__attribute__((noinline)) void second(bank::Account* a, void* cast, int index, Box<long>* b) {
  keep(a->count);                       // RACE: base read 8 of bank::Base::count
  keep(own_part.balance);               // RACE: own read 8 of bank::Account::balance
  keep(inner_part.corner.y);            // RACE: inner read 8 of bank::Point::y
  keep(unnamed_part.limits.daily);      // RACE: unnamed read 8 of bank::Account::limits.daily
  keep(shared_part.number);             // RACE: shared read 8 of nothing
  keep(bit_part.low);                   // RACE: bits read of nothing
  keep(row[index].corner.x);            // RACE: row read 8 of bank::Point::x
  keep(static_cast<Hidden*>(cast)->b);  // RACE: cast read 8 of (anonymous namespace)::Hidden::b
  keep(b->second);   // RACE: box read 8 of (anonymous namespace)::Box<long>::second
  keep(pair.after);  // RACE: pair read 8 of (anonymous namespace)::Unnamed::after
  keep(mixed.y);     // RACE: mixed read 8 of bank::Point::y
  keep(plain);       // RACE: plain read 8 of nothing
}

int main() {
  run_threads([] { first(&base_part, through_cast, 2, &box); },
              [] { second(&base_part, through_cast, 2, &box); });
  keep_object(&box);
  keep_object(&pair);
}
