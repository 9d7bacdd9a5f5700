// array_blocks.cpp, fixed: the threads read the old array and write a new one. Nobody writes what
// another reads, and the result no longer depends on who comes first.
#include <cstdio>
#include <thread>
#include <vector>

constexpr int kCells = 1000, kThreads = 4;
double cells[kCells], smoothed[kCells];

void smooth(int first, int last) {
  for (int i = first; i < last; ++i)
    smoothed[i] = i > 0 && i + 1 < kCells ? (cells[i - 1] + cells[i] + cells[i + 1]) / 3 : cells[i];
}

int main() {
  for (int i = 0; i < kCells; ++i) cells[i] = i % 10;
  std::vector<std::thread> threads;
  constexpr int kBlock = kCells / kThreads;
  for (int t = 0; t < kThreads; ++t) threads.emplace_back(smooth, t * kBlock, (t + 1) * kBlock);
  for (auto& thread : threads) thread.join();
  std::printf("cell 500: %f\n", smoothed[500]);
}
