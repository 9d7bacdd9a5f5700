// The names of members that a file's checks speak of (abi/fields.h).
#pragma once

#include "runtime/base/text.h"

namespace bigfoot::rt::report {

// The name with this number in the file at `path`, into `name`. False if there is none, if several
// names have the number, or if the file cannot be read.
bool find_field(const char* path, u32 number, TextBuffer& name);

}  // namespace bigfoot::rt::report
