#!/usr/bin/env bash
# bigfoot explain: compiles a file and prints it with its checks.
. "$(dirname "$0")/support.sh"

bigfoot=$bin/bigfoot
cat >fill.c <<'END'
void unknown(void);
void fill(long* a, long n) {
  for (long i = 0; i < n; ++i) a[i] = i;
}
void twice(long* b) { *b = N; unknown(); }
END
expect_exit 0 "$bigfoot" explain -DN=3 fill.c
[[ $(head -1 out) == "fill.c: 2 accesses, 2 checks (bigfoot)" ]] || fail "heading: $(head -1 out)"
grep -qF 'CHECK 1: write a[0 .. 8*n], for 3:37; not later because the function ends' out || fail "$(cat out)"
grep -qF 'CHECK 2: write *b, for 5:26; not later because call to unknown may synchronise or free memory' out || fail "$(cat out)"
[[ $(ls) == $'err\nfill.c\nout' ]] || fail "leaves files behind: $(ls)"

# Checks stay where the accesses are; a detector is chosen as for the drivers.
expect_exit 0 "$bigfoot" explain --detector=fasttrack -O1 -DN=3 fill.c
grep -qF 'write of 8 bytes: check 1' out || fail "$(cat out)"
grep -qF 'held back by' out && fail "nothing is held back where nothing moves"

# Several files, and a record from a build.
sed 's/long/int/g' fill.c >ints.c
expect_exit 0 "$bigfoot" explain -DN=3 fill.c ints.c
grep -qF 'write a[0 .. 8*n]' out || fail "the first file"
grep -qF 'write a[0 .. 4*n]' out || grep -q 'write a\[0 \.\. 4' out || fail "the second file: $(cat out)"
expect_exit 0 "$CC" -O2 -g -DN=3 --bigfoot-explain=fill.json -c fill.c
expect_exit 0 "$bigfoot" explain fill.json
grep -qF 'write a[0 .. 8*n]' out || fail "the record"

expect_refusal 2 "no file to explain" "$bigfoot" explain -O2
expect_exit 1 "$bigfoot" explain fill.c # N is not defined: the compiler's own message and exit code
grep -q "undeclared identifier 'N'" err || fail "$(cat err)"
printf '{"format":' >cut.json
expect_refusal 1 "cut.json: not JSON, or cut short" "$bigfoot" explain cut.json
expect_refusal 1 "missing.json: No such file" "$bigfoot" explain missing.json
rm fill.c
expect_refusal 1 "can not read the source" "$bigfoot" explain fill.json
