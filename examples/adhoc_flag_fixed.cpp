// adhoc_flag.cpp, fixed: the flag is atomic. Its release store is ordered before the acquire load
// that sees it, and with it everything the worker did before.
#include <atomic>
#include <cstdio>
#include <thread>

int result = 0;
std::atomic<bool> done = false;

int main() {
  std::thread worker([] {
    int sum = 0;
    for (int i = 1; i <= 100; ++i) sum += i;
    result = sum;
    done.store(true, std::memory_order_release);
  });
  while (!done.load(std::memory_order_acquire)) std::this_thread::yield();
  std::printf("result: %d\n", result);
  worker.join();
}
