// The user's settings, read once at start-up and constant from then on.
//
// Sources, each overriding the one before: the program's __tsan_default_options() and
// __bf_default_options(), the environment's TSAN_OPTIONS and BIGFOOT_OPTIONS.
#pragma once

#include "runtime/base/types.h"

namespace bigfoot::rt {

struct Options {
#define BF_FLAG(name, fallback, origin, description) bool name = fallback;
#define BF_NUMBER(name, fallback, largest, origin, description) u64 name = fallback;
#define BF_TEXT(name, fallback, origin, description) const char* name = fallback;
#define BF_CHOICE(name, fallback, values, origin, description) const char* name = fallback;
#include "runtime/options/options.def"
};

// The defaults before initialise_options().
const Options& options();

// Reads all sources. Bad input is one line on stderr and exit code 64. Called once, before any
// other thread exists.
void initialise_options();

}  // namespace bigfoot::rt
