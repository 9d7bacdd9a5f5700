// What the history of arrays costs by where they live: two threads smooth a vector, each its half,
// with a barrier after each round.
//
//   bigfoot-clang++ -std=c++20 -O2 bench/micro/array_homes.cpp -o array_homes -pthread
//   BIGFOOT_OPTIONS="array_shadow=off|auto stats=1" /usr/bin/time -f '%U s, %M KB' ./array_homes
//   heap|global|mapped
//
// The work is the same in all three; what differs is how the run time finds the array.
#include <pthread.h>
#include <sys/mman.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

constexpr long kSize = 1 << 20;
constexpr int kRounds = 30, kThreads = 2;

double globals[2][kSize];
double* vectors[2];
pthread_barrier_t barrier;

void* work(void* argument) {
  const long id = reinterpret_cast<long>(argument);
  const long first = kSize * id / kThreads, last = kSize * (id + 1) / kThreads;
  for (int round = 0; round < kRounds; ++round) {
    const double* from = vectors[round % 2];
    double* to = vectors[1 - round % 2];
    for (long i = first; i < last; ++i) {
      const long before = i == 0 ? i : i - 1, after = i == kSize - 1 ? i : i + 1;
      to[i] = (from[before] + 2 * from[i] + from[after]) / 4;
    }
    pthread_barrier_wait(&barrier);
  }
  return nullptr;
}

bool place(const char* home) {
  for (int i = 0; i < 2; ++i) {
    void* p = nullptr;
    if (std::strcmp(home, "heap") == 0) p = std::malloc(sizeof globals[i]);
    if (std::strcmp(home, "global") == 0) p = globals[i];
    if (std::strcmp(home, "mapped") == 0)
      p = mmap(nullptr, sizeof globals[i], PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
               0);
    if (p == nullptr || p == MAP_FAILED) return false;
    vectors[i] = static_cast<double*>(p);
    for (long k = 0; k < kSize; ++k) vectors[i][k] = static_cast<double>(k % 97);
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2 || !place(argv[1])) {
    std::fprintf(stderr, "usage: array_homes heap|global|mapped\n");
    return 2;
  }
  pthread_barrier_init(&barrier, nullptr, kThreads);
  pthread_t threads[kThreads];
  for (long t = 0; t < kThreads; ++t)
    pthread_create(&threads[t], nullptr, work, reinterpret_cast<void*>(t));
  for (pthread_t t : threads) pthread_join(t, nullptr);
  std::printf("%g\n", vectors[kRounds % 2][kSize / 2]);
}
