// The chains users choose between. Apart from chain.h so that code that brings its own engines does
// not link Z3.
#pragma once

#include <memory>

#include "analysis/solver/chain.h"

namespace bigfoot::solver {

std::unique_ptr<Chain> make_chain(Engines engines, Observer::Listener listener = {});

}  // namespace bigfoot::solver
