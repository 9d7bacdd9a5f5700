// The subcommand behind `bigfoot explain`.
#pragma once

#include "tools/bigfoot/command.h"

namespace bigfoot::tool {

int explain_command(const Arguments& arguments);

}  // namespace bigfoot::tool
