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
  // Executions are judged once for each configuration.
  std::uint64_t programs = 0, executions = 0, racy_programs = 0, not_exhaustive = 0;
  std::uint64_t accesses = 0;
  std::vector<std::uint64_t> checks = std::vector<std::uint64_t>(4, 0);  // by configuration
};

enum class Judge : std::uint8_t { GoodChecks, Explorer, Generator };
struct Complaint {
  Judge judge;
  std::string text;
  std::size_t configuration = 0;  // the first about which there is something to say
};

// What is wrong with the placements of this program, if anything: all are explored at once, on the
// same executions. A run-time error is the fault of whoever wrote the program.
std::optional<Complaint> complaint(const Program& program,
                                   const std::vector<Configuration>& configurations,
                                   logic::Entailment& entailment, const ExploreOptions& explore,
                                   ExploreReport* report = nullptr);

ExploreOptions campaign_explore_options(bool diverging);

// Programs [first, first + count); every fifth may diverge. Stops at the first failure and returns
// its description with the shrunk program, which fails under one configuration alone.
std::optional<std::string> run_campaign(std::uint64_t first, std::uint64_t count,
                                        logic::Entailment& entailment, Totals& totals);

}  // namespace bigfoot::bfj
