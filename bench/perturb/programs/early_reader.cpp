// The reader trusts a counter; only if it comes before the writer does it look without waiting.
#include <atomic>
#include <thread>
std::atomic<int> published;
int value;
volatile int seen;  // a read that is not used would be optimised away
int main() {
  std::thread writer([] {
    value = 1;
    published.store(1);
  });
  std::thread reader([] {
    for (int i = 0; i < 3 && published.load() == 0; ++i) {
    }
    seen = value;  // after the loop gave up: not ordered
  });
  writer.join();
  reader.join();
}
