// A teller and an auditor, each careful, each with a lock of its own.
//
// The race: `deposit` changes an account under ledger_lock, `audit` adds the accounts up under
// audit_lock. Every access is made with a lock held, but not with the same one, so nothing orders
// them, and the auditor can see a deposit half done.
#include <cstdio>
#include <mutex>
#include <thread>

struct Account {
  long number;
  long balance;
};

std::mutex ledger_lock, audit_lock;
Account* accounts;

void deposit(int who, long amount) {
  std::lock_guard<std::mutex> hold(ledger_lock);
  accounts[who].balance += amount;
}

long audit() {
  std::lock_guard<std::mutex> hold(audit_lock);
  long sum = 0;
  for (int i = 0; i < 4; ++i) sum += accounts[i].balance;
  return sum;
}

int main() {
  accounts = new Account[4]();
  std::thread teller([] {
    for (int i = 0; i < 4; ++i) deposit(i, 10);
  });
  std::thread auditor([] { std::printf("the auditor sees %ld\n", audit()); });
  teller.join();
  auditor.join();
  std::printf("in the end there is %ld\n", audit());
  delete[] accounts;
}
