// RUN: %clangxx %s %support -o %t
// RUN: %run_clean %t

// scoped_lock takes two mutexes in either order without a deadlock, and without a word about it.
#include <mutex>
#include <thread>

struct Account {
  std::mutex mutex;
  int balance = 1000;
} left, right;

void transfer(Account& from, Account& to) {
  for (int i = 0; i < 100; ++i) {
    std::scoped_lock lock(from.mutex, to.mutex);
    --from.balance;
    ++to.balance;
  }
}

int main() {
  {
    std::jthread there([] { transfer(left, right); }), back([] { transfer(right, left); });
  }
  return left.balance == 1000 && right.balance == 1000 ? 0 : 1;
}
