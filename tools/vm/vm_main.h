// `bigfoot vm` and `bigfoot lard-study`.
#pragma once

namespace bigfoot::tools {

int vm_main(int argc, char** argv);
int study_main(int argc, char** argv);

}  // namespace bigfoot::tools
