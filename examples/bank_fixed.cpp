// bank.cpp, fixed: the account has a mutex, and every access to the balance holds it.
#include <cstdio>
#include <mutex>
#include <thread>

class Account {
 public:
  void deposit(long amount) {
    std::lock_guard lock(mutex_);
    balance_ = balance_ + amount;
  }
  long balance() const {
    std::lock_guard lock(mutex_);
    return balance_;
  }

 private:
  mutable std::mutex mutex_;
  long balance_ = 0;
};

int main() {
  Account account;
  auto teller = [&account] {
    for (int i = 0; i < 1000; ++i) account.deposit(1);
  };
  std::thread first(teller), second(teller);
  first.join();
  second.join();
  std::printf("balance: %ld, should be 2000\n", account.balance());
}
