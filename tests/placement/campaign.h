// One random program through everything: place it for each detector, verify, explore.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/placement/options.h"
#include "analysis/solver/chain.h"
#include "frontends/bfj/explorer.h"

namespace bigfoot::bfj {

struct Configuration {
  const char* name;
  placement::Options options;
  Precision precision;
};
// redcard and bigfoot, each with alias facts (trace-precise) and without (address-precise).
const std::vector<Configuration>& configurations();

struct Totals {
  std::uint64_t programs = 0, executions = 0, racy_programs = 0, faulted = 0, not_exhaustive = 0;
  std::uint64_t accesses = 0;
  std::vector<std::uint64_t> checks = std::vector<std::uint64_t>(4, 0);  // by configuration
};

enum class Judge : std::uint8_t { GoodChecks, Explorer };
struct Complaint {
  Judge judge;
  std::string text;
};

// What is wrong with the placement of this program, if anything.
std::optional<Complaint> complaint(const Program& program, const Configuration& configuration,
                                   logic::Entailment& entailment, const ExploreOptions& explore,
                                   ExploreReport* report = nullptr);

ExploreOptions campaign_explore_options(bool diverging);

// Programs [first, first + count); every fifth may diverge. Stops at the first failure and returns
// its description with the shrunk program.
std::optional<std::string> run_campaign(std::uint64_t first, std::uint64_t count,
                                        logic::Entailment& entailment, Totals& totals);

}  // namespace bigfoot::bfj
