#!/usr/bin/env bash
# Questions get clang's own answers, and no step of a build says anything about our options.
. "$(dirname "$0")/support.sh"

same_answer() {
  local mine theirs
  mine=$("$CC" "$@" 2>&1 </dev/null) || true
  theirs=$("$PLAIN_CLANG" "$@" 2>&1 </dev/null) || true
  [[ $mine == "$theirs" ]] || fail "another answer than clang's: $*"
}
same_answer --version
same_answer -v
same_answer -dumpmachine
same_answer -print-resource-dir
same_answer -print-file-name=libc.a
same_answer --help
same_answer
same_answer -no-such-option

cp "$sources"/* .
expect_clean "$CC" -E main.c
expect_clean "$CC" -M main.c
expect_clean "$CC" -fsyntax-only main.c
expect_clean "$CC" -S main.c -o main.s
expect_clean "$CC" -c main.s -o main.o
expect_clean "$CC" -S -emit-llvm main.c -o main.ll
expect_clean "$CC" -c -MMD -MF main.d main.c
grep -q counter.h main.d || fail "no dependency file"
printf '#ifdef X\n#endif\n.globl f\nf: ret\n.section .note.GNU-stack\n' >f.S
expect_clean "$CC" -c f.S
expect_clean "$CC" -r main.o f.o -o both.o
expect_clean "$CC" main.o counter.c -lm -o program
[[ $("$CC" -### main.o 2>&1) == *libbigfoot_rt.a* ]] || fail "-### does not show the run time"
[[ $("$CC" -### -c main.c 2>&1) != *libbigfoot_rt.a* ]] || fail "-c names the run time"
# How Meson and libtool ask for the linker.
expect_exit 0 "$CC" -Wl,--version
