// A hands to B by a lock, B to C by another; C looks at A's value. If B runs between them, all is
// ordered.
#include <mutex>
#include <thread>
std::mutex first, second;
int value;
volatile int seen;  // a read that is not used would be optimised away
int main() {
  std::thread a([] {
    value = 1;
    std::lock_guard<std::mutex> hold(first);
  });
  std::thread b([] {
    std::lock_guard<std::mutex> in(first);
    std::lock_guard<std::mutex> out(second);
  });
  std::thread c([] {
    { std::lock_guard<std::mutex> hold(second); }
    seen = value;
  });
  a.join();
  b.join();
  c.join();
}
