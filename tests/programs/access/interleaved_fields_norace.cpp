// RUN: %clangxx %s -o %t
// RUN: %run_clean %t

// One thread reads a field of every struct, the other writes the field beside it; the same with
// every second element. A vectorised loop may not be taken to read what lies between.
#include <thread>

namespace {

struct Point {
  int x, y;
};
Point points[256];
short numbers[512];
long sum;

[[gnu::noinline]] int sum_of_x(const Point* p, int count) {
  int s = 0;
  for (int i = 0; i < count; ++i) s += p[i].x;
  return s;
}

[[gnu::noinline]] int sum_of_even(const short* p, int count) {
  int s = 0;
  for (int i = 0; i < count; i += 2) s += p[i];
  return s;
}

[[gnu::noinline]] void set_y_and_odd(int count) {
  for (int i = 0; i < count; ++i) points[i].y = i;
  for (int i = 1; i < 2 * count; i += 2) numbers[i] = static_cast<short>(i);
}

}  // namespace

int main() {
  std::thread reader([] { sum = sum_of_x(points, 256) + sum_of_even(numbers, 512); });
  std::thread writer([] { set_y_and_odd(256); });
  reader.join();
  writer.join();
  return sum == 0 ? 0 : 1;
}
