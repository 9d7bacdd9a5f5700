// Ends of the process that other interceptors need.
#pragma once

namespace bigfoot::rt::intercept {

// Registers with exit, quick_exit and fork. Part of intercept::initialise().
void watch_process();

// The run time's closing words, then the C library's abort.
[[noreturn]] void end_by_abort();

}  // namespace bigfoot::rt::intercept
