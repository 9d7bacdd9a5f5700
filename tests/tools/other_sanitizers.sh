#!/usr/bin/env bash
# UndefinedBehaviorSanitizer works beside us.
. "$(dirname "$0")/support.sh"

cat >overflow.c <<'SOURCE'
int main(int argc, char** argv) {
  (void)argv;
  int big = 0x7fffffff;
  return big + argc == 1;
}
SOURCE
expect_clean "$CC" -fsanitize=thread,undefined overflow.c -o overflow
expect_exit 0 ./overflow
grep -q 'signed integer overflow' err || fail "undefined behaviour is not reported"

expect_clean "$CC" -fsanitize=undefined -DRACY "$sources/main.c" "$sources/counter.c" -o program
expect_race ./program "$race"
