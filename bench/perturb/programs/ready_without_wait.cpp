// Waits for a condition properly, but a caller that comes before the signal is counted outside.
#include <condition_variable>
#include <mutex>
#include <thread>
std::mutex lock;
std::condition_variable changed;
bool ready = false;
int waited;
void wait() {
  std::unique_lock<std::mutex> hold(lock);
  if (ready) return;
  hold.unlock();
  ++waited;
  hold.lock();
  changed.wait(hold, [] { return ready; });
}
int main() {
  std::thread signal([] {
    std::lock_guard<std::mutex> hold(lock);
    ready = true;
    changed.notify_all();
  });
  std::thread a(wait), b(wait);
  signal.join();
  a.join();
  b.join();
}
