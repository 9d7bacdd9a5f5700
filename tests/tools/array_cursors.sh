#!/usr/bin/env bash
# What a sweep over a compressed array leaves behind when another thread moves the array into the planes: the
# cursor of the check must not stay open, or each of its accesses is a call for the rest of the epoch.
. "$(dirname "$0")/support.sh"

cat >sweeps.cpp <<'CPP'
#include <cstdio>
#include <thread>
#include <vector>

extern "C" {
void script_post(int point);
void script_wait(int point);
int open_cursors();
}
constexpr int kSize = 4096, kReads = 20000;

template <class T>
[[gnu::noinline]] T sum(const std::vector<T>& values, int size) {
  T all = 0;
  for (int i = 0; i < size; ++i) all += values[i];
  return all;
}
// Here and there: a commit for each of them, so that the array had better be in the planes.
template <class T>
[[gnu::noinline]] T scattered(const std::vector<T>& values) {
  T all = 0;
  unsigned at = 1;
  for (int i = 0; i < kReads; ++i) {
    at = at * 1103515245 + 12345;
    all += values[at >> 8 & (kSize - 1)];
  }
  return all;
}
// The first is half way when the other reads it so.
template <class T>
void meet(const std::vector<T>& values, int first) {
  int open[2] = {};
  T kept = 0;
  std::thread one([&] {
#pragma clang loop unroll(disable)
    for (int i = 0; i < 2; ++i) {  // one call: a cursor belongs to a calling context
      kept += sum(values, kSize / 2);
      open[i] = open_cursors();
      script_post(first);
      script_wait(first + 1);
    }
  });
  std::thread other([&] {
    script_wait(first);
    if (scattered(values) == 1) std::puts("one");
    script_post(first + 1);
  });
  one.join();
  other.join();
  if (kept == 1) std::puts("one");
  std::printf("%d open, then %d\n", open[0], open[1]);
}

int main() {
  std::vector<double> doubles(kSize);
  std::vector<int> ints(kSize);
  meet(doubles, 0);
  meet(ints, 2);
}
CPP
cat >cursors.cpp <<'CPP'
#include "abi/layout.h"
extern "C" __attribute__((tls_model("initial-exec"))) thread_local bigfoot::abi::ThreadHot __bf_thread;
// Those of sites.
extern "C" int open_cursors() {
  int open = 0;
  for (unsigned i = 0; i < bigfoot::abi::kCursors; ++i) open += __bf_thread.cursors[i].place != 0;
  return open;
}
CPP
"$PLAIN_CLANG" -x c++ -std=c++20 -O1 -I "$root" -c cursors.cpp -o cursors.o
"$PLAIN_CLANG" -O1 -I "$root/tests/programs/support" -c "$root/tests/programs/support/script.c" -o script.o

for detector in slimstate slimcard; do
  # Of several elements at a time and of one.
  for how in "-O2 -fno-vectorize" "-O1 -fno-unroll-loops"; do
    # shellcheck disable=SC2086
    "$CXX" --detector=$detector -std=c++20 $how -pthread sweeps.cpp cursors.o script.o -o sweeps
    expect_silent ./sweeps
    grep -vqE '^[1-9][0-9]* open, then 0$' out && { cat out; fail "cursors ($detector $how)"; }
    [[ $(wc -l <out) -eq 2 ]] || { cat out; fail "not two arrays ($detector $how)"; }
  done
done
