// The subcommand behind `bigfoot report`.
#pragma once

#include "tools/bigfoot/command.h"

namespace bigfoot::tool {

int report_command(const Arguments& arguments);

}  // namespace bigfoot::tool
