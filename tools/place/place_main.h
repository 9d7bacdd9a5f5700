// The subcommands as functions, for whoever dispatches to them. Both return a process exit status:
// 0 done, 1 the verdict is negative (a race, an imprecise placement), 2 bad input.
#pragma once

namespace bigfoot::tools {

int place_main(int argc, char** argv);
int explore_main(int argc, char** argv);

}  // namespace bigfoot::tools
