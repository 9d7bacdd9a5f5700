// RUN: %clangxx %s %support -o %t
// RUN: %run_racy %t

// A field of an object on the heap.
#include "script.h"
#include "spawn.h"

struct Account {
  long id;
  long balance;
};

int main() {
  auto* account = new Account{1, 0};
  run_threads([=] { account->balance += 10; },   // RACE: read 8, write 8
              [=] { account->balance -= 10; });  // RACE: read 8, write 8
  delete account;
}
