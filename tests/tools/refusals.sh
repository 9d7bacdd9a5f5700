#!/usr/bin/env bash
# What can not work is refused in one line, before anything is written.
. "$(dirname "$0")/support.sh"

cp "$sources"/* .
refuse() { expect_refusal 1 "$@"; }
refuse "available: fasttrack" "$CC" --detector=nonsense main.c counter.c -o program
refuse "BIGFOOT_DETECTOR=nonsense" env BIGFOOT_DETECTOR=nonsense "$CC" main.c counter.c -o program
refuse "'--detector='" "$CC" --detector= main.c counter.c -o program
refuse "-fsanitize=address" "$CC" -fsanitize=address main.c counter.c -o program
refuse "static executables" "$CC" -static main.c counter.c -o program
refuse "static executables" "$CC" -Wl,-static main.c counter.c -o program
refuse "static executables" "$CC" -Wl,-Bdynamic -Xlinker -Bstatic main.c counter.c -o program
refuse "crt1.o" "$CC" -nostdlib main.c counter.c -lc -o program
refuse "crt1.o" "$CC" -nostartfiles main.c counter.c -o program
refuse "x86_64 Linux only" "$CC" -m32 main.c counter.c -o program
refuse "--bigfoot-rt=" "$CC" --bigfoot-rt=nonsense main.c counter.c -o program
refuse "--bigfoot-wrong" "$CC" --bigfoot-wrong main.c counter.c -o program
[[ ! -e program ]] || fail "a refused command wrote its output"
