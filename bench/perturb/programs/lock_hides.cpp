// The write is outside the lock. If the reader locks later, the lock orders them by accident.
#include <mutex>
#include <thread>
std::mutex gate;
int value;
volatile int seen;  // a read that is not used would be optimised away
int main() {
  std::thread writer([] {
    value = 1;
    std::lock_guard<std::mutex> hold(gate);
  });
  std::thread reader([] {
    for (int i = 0; i < 2; ++i) std::lock_guard<std::mutex> hold(gate);
    seen = value;
  });
  writer.join();
  reader.join();
}
