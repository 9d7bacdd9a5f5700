#!/usr/bin/env bash
# Arrays outside of the heap: which globals and mappings have a compressed history, in the program and in a
# library that it loads, and that to be named as one does not change what is linked.
. "$(dirname "$0")/support.sh"

cat >arrays.cpp <<'CPP'
#include <pthread.h>
#include <sys/mman.h>
#include <dlfcn.h>

enum { kSize = 20000 };
int alone[kSize];                                              // one
double matrix[4][1000];                                        // one: its rows are no elements
struct { int count; struct { float x, y; } points[500]; } in;  // one, inside
int in_part[kSize] = {1, 2, 3};                                // one, though clang makes it two
struct Big { long head; char text[2000]; } few[2];             // two: few elements, each with an array
int small[255];                                                // less than 1 KiB
struct { double a, b, c; int d[10]; } object;
thread_local int own[kSize];
const int* const constant[200] = {small};
pthread_mutex_t locks[100];  // an array, until there is a lock in it

static void fill() {
  for (int i = 0; i < kSize; ++i) alone[i] = in_part[i] = own[i] = i;
  for (auto& row : matrix)
    for (double& d : row) d = 1;
  in.count = 1;
  for (auto& p : in.points) p.x = p.y = 1;
  for (Big& b : few) {
    b.head = 1;
    for (char& c : b.text) c = 1;
  }
  for (int& i : small) i = constant[0] == small;
  object.a = object.b = 1;
  for (pthread_mutex_t& m : locks) {
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
  }
}

struct Mapped {
  long *large, *page, *reserved;
} mapped;
static long* map(size_t bytes, int protection) {
  return static_cast<long*>(mmap(nullptr, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
}
static void* work(void*) {
  fill();
  for (int i = 0; i < (1 << 17); ++i) mapped.large[i] = i;
  for (int i = 0; i < 512; ++i) mapped.page[i] = mapped.reserved[i] = i;
  return nullptr;
}
static void* nothing(void*) { return nullptr; }

int main(int argc, char** argv) {
  mapped = {map(1 << 20, PROT_READ | PROT_WRITE), map(4096, PROT_READ | PROT_WRITE), map(1 << 20, PROT_NONE)};
  mprotect(mapped.reserved, 4096, PROT_READ | PROT_WRITE);
  pthread_t one, other;
  pthread_create(&one, nullptr, work, nullptr);
  pthread_create(&other, nullptr, nothing, nullptr);
  pthread_join(one, nullptr);
  if (argc > 1) {
    void* library = dlopen(argv[1], RTLD_NOW);
    pthread_create(&one, nullptr, reinterpret_cast<void* (*)(void*)>(dlsym(library, "fill_table")), nullptr);
    pthread_join(one, nullptr);
  }
  pthread_join(other, nullptr);
}
CPP
cat >library.cpp <<'CPP'
static short table[5000];
extern "C" void* fill_table(void*) {
  for (short& s : table) s = 1;
  return table;
}
CPP

stat() { sed -n "s/.*\"$1\": \([0-9.]*\).*/\1/p" stats.json; }
expect_stat() {
  [[ $(stat "$1") == "$2" ]] || fail "$1 is $(stat "$1") instead of $2"
}
run() {
  rm -f stats.json
  expect_exit 0 env BIGFOOT_OPTIONS="stats_path=stats.json" "$@"
}

for detector in slimstate slimcard bigfoot; do
  "$CXX" --detector=$detector -O1 arrays.cpp -o arrays -pthread
  run ./arrays
  expect_stat arrays_global 7
  expect_stat arrays_mapped 1
  # The locks; under bigfoot also `points`, whose check begins in the word before the array, and is made element by
  # element: a first check of a few bytes (the others' are of 1 KiB and more).
  case $detector in
    bigfoot) expect_stat arrays_fine 2 ;;
    *) expect_stat arrays_fine 1 ;;
  esac
  fraction=$(stat shadow_fraction)
  awk "BEGIN { exit !($fraction < 0.01) }" || fail "$detector: $fraction shadow locations per element"
done

"$CXX" -O1 -fPIC -shared library.cpp -o library.so
run ./arrays ./library.so
expect_stat arrays_global 8

# Detectors that do not compress have no use for the table.
"$CXX" --detector=fasttrack -O1 -S -emit-llvm arrays.cpp -o fasttrack.ll
! grep -q global_arrays fasttrack.ll || fail "fasttrack has a table of arrays"

# A global that nobody uses may refer to what does not exist, if the linker drops it.
cat >dropped.cpp <<'CPP'
extern "C" void missing();
using Command = void (*)();
Command commands[200] = {missing};
int main() {}
CPP
"$CXX" -O1 -fdata-sections -Wl,--gc-sections dropped.cpp -o dropped -pthread
expect_exit 0 ./dropped
