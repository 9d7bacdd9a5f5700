// The worker writes its result after it has seen the stop flag; the owner waits a little, not for
// the worker.
#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>
std::mutex lock;
std::atomic<bool> stop;
int result;
volatile int seen;  // a read that is not used would be optimised away
int main() {
  std::thread worker([] {
    int n = 0;
    while (!stop.load()) ++n;
    std::lock_guard<std::mutex> hold(lock);
    result = n;
  });
  std::thread owner([] {
    stop.store(true);
    std::this_thread::sleep_for(std::chrono::microseconds(300));
    { std::lock_guard<std::mutex> hold(lock); }
    seen = result;  // without the lock
  });
  owner.join();
  worker.join();
}
