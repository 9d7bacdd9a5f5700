// Which of clang's options take their value from the next argument.
//
// The driver has to tell the files on a command line from the values of options (`-o prog` names no
// input). Everything else about clang's options is left to clang.
#pragma once

#include <span>
#include <string_view>

namespace bigfoot::driver {

// True when `argument`, exactly as spelled, is followed by its value: `-o` but not `-oprog`.
bool takes_next_argument(std::string_view argument);

// The spelled-out part of the table, for the test that compares it with clang's own.
std::span<const std::string_view> separate_value_options();

}  // namespace bigfoot::driver
