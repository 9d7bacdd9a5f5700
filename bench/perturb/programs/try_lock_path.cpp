// When the lock is busy the statistics are written without it.
#include <mutex>
#include <thread>
std::mutex lock;
int busy;
void use() {
  for (int i = 0; i < 10; ++i) {
    if (lock.try_lock())
      lock.unlock();
    else
      ++busy;
  }
}
int main() {
  std::thread a(use), b(use);
  a.join();
  b.join();
}
