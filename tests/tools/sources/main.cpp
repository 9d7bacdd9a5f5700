// As main.c, through the C++ library.
#include <stdexcept>
#include <thread>

#include "counter.h"

int main() {
  std::thread thread(bump);
  bump();
  thread.join();
  try {
    throw std::runtime_error("caught");
  } catch (const std::exception&) {
    return 0;
  }
}
