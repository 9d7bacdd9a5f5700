// The list of mutations is tested in two files; this one says what the other has.
#pragma once

#include <set>

#include "analysis/placement/mutation.h"

namespace bigfoot::bfj {

std::set<placement::Mutation> proxy_mutations_tested();

}  // namespace bigfoot::bfj
