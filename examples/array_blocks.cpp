// Four threads smooth an array, each its own block.
//
// The race: every new value is the mean of a cell and its neighbours, so at the border of a block a
// thread reads a cell that the next thread writes. The interior is fine; a few of the thousand
// cells are not.
#include <cstdio>
#include <thread>
#include <vector>

constexpr int kCells = 1000, kThreads = 4;
double cells[kCells];

void smooth(int first, int last) {
  for (int i = first; i < last; ++i)
    if (i > 0 && i + 1 < kCells) cells[i] = (cells[i - 1] + cells[i] + cells[i + 1]) / 3;
}

int main() {
  for (int i = 0; i < kCells; ++i) cells[i] = i % 10;
  std::vector<std::thread> threads;
  constexpr int kBlock = kCells / kThreads;
  for (int t = 0; t < kThreads; ++t) threads.emplace_back(smooth, t * kBlock, (t + 1) * kBlock);
  for (auto& thread : threads) thread.join();
  std::printf("cell 500: %f\n", cells[500]);
}
