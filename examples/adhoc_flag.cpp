// A worker computes a result and raises a flag; main polls the flag and takes the result.
//
// The race, twice over: the flag is written and read without synchronisation, and since the flag
// orders nothing, so is the result. `volatile` keeps the compiler from removing the loop, but
// neither the compiler nor the processor has to keep the two writes in order for another thread.
#include <cstdio>
#include <thread>

int result = 0;
volatile bool done = false;

int main() {
  std::thread worker([] {
    int sum = 0;
    for (int i = 1; i <= 100; ++i) sum += i;
    result = sum;
    done = true;
  });
  while (!done) std::this_thread::yield();
  std::printf("result: %d\n", result);
  worker.join();
}
