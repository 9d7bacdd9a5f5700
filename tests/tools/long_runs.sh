#!/usr/bin/env bash
# What a program does again and again leaves nothing behind that grows with it.
. "$(dirname "$0")/support.sh"

"$CC" -O2 -pthread "$sources/long_runs.c" -o long_runs

# Prints a figure of the statistics that the last run has left in err.
figure() {
  sed -n "s/^bigfoot: $1 //p" err
}
# long_runs KIND COUNT
run() {
  BIGFOOT_OPTIONS=stats=1 expect_exit 0 ./long_runs "$@"
}

# All chunks of 1024 epochs but the 2048 after which they are collected, and the open ones.
run unlock 100
all=$(figure epoch_chunks_left)
run unlock 4000000
left=$(figure epoch_chunks_left)
[[ $((all - left)) -le 2100 ]] || fail "$((all - left)) chunks of epochs are in use"

# Places in the clocks: at most those of two collections, 128 threads apart.
run detach 2000
slots=$(figure slots)
[[ $slots -le 300 ]] || fail "$slots slots for one thread at a time"

# Records of threads that have ended, and their stacks: the last run may take no more than the first.
run join 200
few=$(cat out)
run join 20000
many=$(cat out)
[[ $((many - few)) -le 2048 ]] || fail "$few KiB after 200 threads, $many KiB after 20,000"
