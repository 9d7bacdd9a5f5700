// What printf and scanf access through their arguments, by their format strings.
//
// Directives with positions (%1$s) are not followed: from there on nothing is told.
#pragma once

#include <stdarg.h>

#include "runtime/intercept/interceptor.h"

namespace bigfoot::rt::intercept {

// printf: the strings of %s, as far as their precision goes, and the counts of %n. Told before the
// call.
void tell_printed(const Call& call, const char* format, va_list arguments);

// scanf: what the first `assigned` conversions have written, `assigned` being its result. Told
// after it.
void tell_scanned(const Call& call, const char* format, va_list arguments, int assigned);

}  // namespace bigfoot::rt::intercept
