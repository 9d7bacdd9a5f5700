// The parent fills in a setting right after it has started the thread, and is nearly always
// quicker.
#include <chrono>
#include <mutex>
#include <thread>
std::mutex lock;
int setting;
volatile int seen;  // a read that is not used would be optimised away
int main() {
  std::thread child([] {
    std::this_thread::sleep_for(std::chrono::microseconds(300));
    { std::lock_guard<std::mutex> hold(lock); }
    seen = setting;
  });
  setting = 5;
  { std::lock_guard<std::mutex> hold(lock); }
  child.join();
}
