// RUN: %clangxx %s %support -o %t
// RUN: %run_clean %t > %t.out
// RUN: %filecheck %s < %t.out

// The standard streams may be used by several threads; streams of one's own always.
#include <iostream>
#include <sstream>
#include <syncstream>
#include <thread>

// CHECK: done 300
int main() {
  std::jthread threads[3];
  int lengths[3] = {};
  for (int i = 0; i < 3; ++i)
    threads[i] = std::jthread([i, &lengths] {
      std::ostringstream own;
      for (int line = 0; line < 100; ++line) {
        std::cout << "line " << line << std::endl;
        own << std::hex << line % 10;
      }
      std::osyncstream(std::cout) << "finished " << i << '\n';
      lengths[i] = static_cast<int>(own.str().size());
    });
  for (auto& thread : threads) thread.join();
  std::cout << "done " << lengths[0] + lengths[1] + lengths[2] << std::endl;
}
