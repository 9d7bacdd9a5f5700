// RUN: %clangxx %s %support -o %t
// RUN: %run_clean %t
// UNSUPPORTED: bigfoot
// A known false alarm, in about one run of ten: an attempt that ends in an exception is not yet ordered before
// the next one, because nothing of the run time is called while the exception passes.
// TSAN: hangs: its own once does not know exceptions

// A call that ends in an exception does not count: the next one runs the function again, ordered
// after it.
#include <mutex>
#include <thread>

std::once_flag once;
int table, attempts;

void initialise() {
  if (++attempts < 3) throw 1;
  table = 7;
}

void use() {
  for (bool done = false; !done;) {
    try {
      std::call_once(once, initialise);
      done = true;
    } catch (int) {
    }
  }
  if (table != 7) _Exit(1);
}

int main() {
  std::jthread threads[3];
  for (auto& thread : threads) thread = std::jthread(use);
}
