#!/usr/bin/env bash
# A Makefile that compiles by the built-in rules, with CC from the environment.
. "$(dirname "$0")/support.sh"

cp "$sources"/* .
cat >Makefile <<'PROJECT'
CFLAGS = -O2 -Wall -Werror
LDLIBS = -lpthread
all: program
program: main.o counter.o
	$(CC) $(LDFLAGS) $^ $(LDLIBS) -o $@
main.o counter.o: counter.h
PROJECT
expect_exit 0 make
expect_race ./program "$race"
rm -f ./*.o program
expect_exit 0 make CFLAGS='-O2 -DLOCKED'
expect_silent ./program
