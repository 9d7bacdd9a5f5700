// The fixed twin of ledger.cpp: one lock for the accounts, whoever looks at them.
#include <cstdio>
#include <mutex>
#include <thread>

struct Account {
  long number;
  long balance;
};

std::mutex ledger_lock;
Account* accounts;

void deposit(int who, long amount) {
  std::lock_guard<std::mutex> hold(ledger_lock);
  accounts[who].balance += amount;
}

long audit() {
  std::lock_guard<std::mutex> hold(ledger_lock);
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
