// Two tellers pay into the same account.
//
// The race: `deposit` reads the balance, adds and writes it back. When both tellers do so at once,
// one of the two deposits is lost. Nothing crashes; the sum at the end is just wrong, and not in
// every run. The detector reports it in every run, because nothing orders the two threads'
// accesses.
#include <cstdio>
#include <thread>

class Account {
 public:
  void deposit(long amount) { balance_ = balance_ + amount; }
  long balance() const { return balance_; }

 private:
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
