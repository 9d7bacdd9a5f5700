// Whoever drops the last reference writes the total; the other one reads it if it is not the last.
#include <atomic>
#include <chrono>
#include <thread>
std::atomic<int> references = 2;
int total;
void drop(int delay) {
  std::this_thread::sleep_for(std::chrono::microseconds(delay));
  if (references.load(std::memory_order_acquire) == 2) total = delay;  // "nobody has dropped yet"
  references.fetch_sub(1, std::memory_order_acq_rel);
}
int main() {
  std::thread a(drop, 0), b(drop, 300);
  a.join();
  b.join();
}
