#!/usr/bin/env bash
# Full LTO: the checks are placed in the linker, for each file by what it was compiled for.
. "$(dirname "$0")/support.sh"

cat >shared.h <<'END'
extern long cells[64];
long weight(long i);
void fill(long from);
END
cat >loop.c <<'END'
#include "shared.h"
long cells[64];
__attribute__((noinline)) void fill(long from) {
  for (long i = 0; i < 64; ++i) cells[i] = from + weight(i);  // the race
}
END
cat >weight.c <<'END'
#include "shared.h"
__attribute__((noinline)) long weight(long i) { return 3 * i; }
END
cat >main.c <<'END'
#include <pthread.h>
#include "shared.h"
#ifdef LOCKED
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
#define IN_ORDER(what) pthread_mutex_lock(&mutex); what; pthread_mutex_unlock(&mutex)
#else
#define IN_ORDER(what) what
#endif
static void* run(void* from) {
  IN_ORDER(fill((long)from));
  return 0;
}
int main(void) {
  pthread_t one, two;
  pthread_create(&one, 0, run, (void*)1);
  pthread_create(&two, 0, run, (void*)2);
  pthread_join(one, 0);
  pthread_join(two, 0);
  return cells[3] == 0;
}
END
line=loop.c:$(grep -n 'the race' loop.c | cut -d: -f1)
missing=__bf_checks_missing__link_with_bigfoot_clang_and_lld

# objects FOLDER OPTION...: all files, compiled for the linker into FOLDER
objects() {
  local folder=$1 file
  shift
  mkdir -p "$folder"
  for file in loop weight main; do expect_clean "$CC" -flto -O2 "$@" -c $file.c -o "$folder/$file.o"; done
}
# count PROGRAM NAME: what stats=1 says of NAME
count() {
  BIGFOOT_OPTIONS="stats=1 exitcode=0" "$1" 2>&1 | sed -n "s/^bigfoot: $2 //p"
}

objects racy
objects locked -DLOCKED

# A linker without the plugin does not make a program without checks.
expect_exit 1 "$PLAIN_CLANG" -flto -O2 -fuse-ld=lld racy/*.o -o plain
grep -qF "undefined symbol: $missing" err || { cat err; fail "does not say what is missing"; }
[[ $(grep -c "undefined symbol" err) -eq 1 ]] || { cat err; fail "more than one line"; }
[[ ! -e plain ]] || fail "made a program without checks"

# The linker's own idea of the level, whatever the files were compiled with.
for level in -O0 -O1 -O2 -O3; do
  expect_clean "$CC" -flto $level racy/*.o -o program
  expect_race ./program "$line" "main.c:"
  expect_clean "$CC" -flto $level locked/*.o -o program
  expect_silent ./program
done
# -flto is not needed to link; a relocatable object and an archive are linked like files.
expect_clean "$CC" -fuse-ld=lld racy/*.o -o program
expect_race ./program "$line"
expect_clean "$CC" -flto -O2 -r racy/loop.o racy/weight.o -o both.o
expect_clean "$CC" -O2 racy/main.o both.o -fuse-ld=lld -o program
expect_race ./program "$line"
/usr/lib/llvm-22/bin/llvm-ar rcs libparts.a racy/loop.o racy/weight.o
expect_clean "$CC" -flto -O2 racy/main.o libparts.a -o program
expect_race ./program "$line"

# A shared library of such files, and a file of which the bitcode is compiled by hand.
objects library -fPIC
expect_clean "$CC" -flto -shared library/loop.o library/weight.o -o libparts.so
expect_clean "$CC" -flto racy/main.o ./libparts.so -o program
expect_race ./program "$line"
cp racy/loop.o loop.bc
expect_exit 0 "$CC" -O2 -fno-lto -c loop.bc -o loop.o  # clang warns that it has seen the file before
expect_clean "$CC" -flto racy/main.o racy/weight.o loop.o -o program
expect_race ./program "$line"

# Several detectors, machine code, ThinLTO and files without checks in one link.
expect_clean "$CC" -flto -O2 --detector=fasttrack -c loop.c -o loop.o
expect_clean "$CC" -flto=thin -O2 -c weight.c -o weight.o
expect_clean "$CC" -O2 -c main.c -o main.o
expect_clean "$CC" -flto -O2 loop.o weight.o main.o -o program
expect_race ./program "$line"
expect_clean "$CC" -flto -O2 -fno-sanitize=thread -c loop.c -o loop.o
expect_clean "$CC" -flto -O2 loop.o racy/weight.o racy/main.o -o program
expect_silent ./program
"$PLAIN_CLANG" -flto=thin -O2 -c loop.c -o loop.o
expect_clean "$CC" -flto -O2 loop.o racy/weight.o racy/main.o -o program
expect_silent ./program

# What waits for its checks is not inlined into what has its own or is to have none, not even if it is always inlined;
# and what is not to be checked not into what waits.
cat >put.c <<'END'
ATTRIBUTES void put(int* p) { p[3] = 4; }  // the put
END
cat >caller.c <<'END'
#include <pthread.h>
int cells[8];
void put(int* p);
static void* run(void* p) {
  put(cells);
  return p;
}
int main(void) {
  pthread_t one, two;
  pthread_create(&one, 0, run, 0);
  pthread_create(&two, 0, run, 0);
  pthread_join(one, 0);
  pthread_join(two, 0);
  return cells[3] != 4;
}
END
always='__attribute__((always_inline))'
unchecked='__attribute__((always_inline, no_sanitize("thread")))'
expect_clean "$CC" -flto -O2 --detector=fasttrack -c caller.c -o placed.o
expect_clean "$CC" -flto -O2 -c caller.c -o waiting.o
"$PLAIN_CLANG" -flto -O2 -c caller.c -o plain.o
for attributes in "" "$always"; do
  expect_clean "$CC" -flto -O2 -g "-DATTRIBUTES=$attributes" -c put.c -o put.o
  for caller in placed waiting plain; do
    expect_clean "$CC" -flto -O2 $caller.o put.o -o program
    expect_race ./program put.c:1
  done
done
expect_clean "$CC" -flto -O2 "-DATTRIBUTES=$unchecked" -c put.c -o put.o
expect_clean "$CC" -flto -O2 waiting.o put.o -o program
expect_silent ./program

# Builds that tell of their checks. The callee's file is known: one check for each loop.
objects counted --bigfoot-count
expect_clean "$CC" -flto -O2 counted/*.o -o counted/program
expect_clean "$CC" -O2 --bigfoot-count loop.c weight.c main.c -o counted/alone
[[ $(count counted/program checks_range) -eq 2 ]] || fail "not one check for each loop"
[[ $(count counted/alone checks_single) -ge 128 ]] || fail "a callee of another file is taken to be known"
objects verified --bigfoot-verify
expect_clean "$CC" -flto -O2 verified/*.o -o program
expect_race ./program "$line"
objects judged --verify-placement
expect_exit 0 "$CC" -flto -O2 judged/*.o -o program
grep -qxE 'bigfoot: 3 files: checks of ([0-9]+) of \1 functions accepted \([0-9]+ checks\)' err || {
  cat err
  fail "no verdict on the placement"
}
expect_exit 0 "$CC" -flto -O2 -Rpass=bigfoot racy/*.o -o program
grep -qF "$line:42: write of 8 bytes: one check for a whole loop" out || { cat out err; fail "no remarks"; }

# Records, each of its file, wherever the link is done.
mkdir records
objects explained --bigfoot-explain=records
mkdir elsewhere
(cd elsewhere && "$CC" -flto -O2 ../explained/*.o -o program)
[[ $(ls records | sed 's/-.*//' | tr '\n' ' ') == "loop.c main.c weight.c " ]] || { ls records; fail "not a record for each file"; }
expect_exit 0 "$bin/bigfoot" explain records
grep -q 'once for the loop at line 4' out || { cat out; fail "the record does not tell of the loop"; }
objects one --bigfoot-explain=record.json
expect_exit 1 "$CC" -flto -O2 one/*.o -o program
grep -q "record.json' is to be a record of several files" err || { cat err; fail "no word on the one record"; }
# A file on its own has its record at once, also with the options of such a build.
expect_exit 0 "$bin/bigfoot" explain -flto -O2 loop.c
grep -q '^loop.c: 1 access, ' out || { cat out; fail "not explained on its own"; }
