#include "tests/placement/campaign.h"

#include "frontends/bfj/parser.h"
#include "frontends/bfj/place_program.h"
#include "frontends/bfj/printer.h"
#include "tests/placement/generator.h"
#include "tests/placement/shrink.h"

namespace bigfoot::bfj {
namespace {

placement::Options options_for(placement::Detector detector, bool address_precise) {
  placement::Options o;
  o.detector = detector;
  o.address_precise = address_precise;
  return o;
}

}  // namespace

const std::vector<Configuration>& configurations() {
  using placement::Detector;
  static const std::vector<Configuration> kAll{
      {"bigfoot, address-precise", options_for(Detector::BigFoot, true), Precision::Address},
      {"bigfoot, trace-precise", options_for(Detector::BigFoot, false), Precision::Trace},
      {"redcard, address-precise", options_for(Detector::RedCard, true), Precision::Address},
      {"redcard, trace-precise", options_for(Detector::RedCard, false), Precision::Trace},
  };
  return kAll;
}

ExploreOptions campaign_explore_options(bool diverging) {
  ExploreOptions o;
  o.max_executions = diverging ? 8 : 40;
  o.max_transitions = 50'000;
  o.random_executions = diverging ? 3 : 8;
  o.max_steps = 2500;
  o.slack = 2000;
  o.patience = 200000;
  return o;
}

std::optional<Complaint> complaint(const Program& program,
                                   const std::vector<Configuration>& configurations,
                                   logic::Entailment& entailment,
                                   const ExploreOptions& explore_options, ExploreReport* report) {
  std::vector<placement::Options> placing;
  ExploreOptions options = explore_options;
  options.precision.clear();
  for (const Configuration& c : configurations) {
    placing.push_back(c.options);
    options.precision.push_back(c.precision);
  }
  const PlacedTogether placed = place_together(program, entailment, placing);
  if (!placed.problems.empty()) return Complaint{Judge::GoodChecks, placed.problems[0]};
  for (std::size_t c = 0; c < configurations.size(); ++c) {
    if (!placed.rejections[c]) continue;
    return Complaint{Judge::GoodChecks, "GoodChecks: " + *placed.rejections[c], c};
  }
  ExploreReport r = explore(placed.program, options);
  std::optional<Complaint> result;
  if (r.failure) {
    result = Complaint{Judge::Explorer, r.failure->what, r.failure->placement};
  } else if (r.faulted_executions > 0) {
    result = Complaint{Judge::Generator, "an execution ends in a run-time error"};
  }
  if (report != nullptr) *report = std::move(r);
  return result;
}

namespace {

// Some seeds run what the defaults never reach: a fact budget that runs out (rule BUDGET), redcard
// without specifications, branches that are kept apart for their sources.
std::vector<Configuration> configurations_for(std::uint64_t seed) {
  std::vector<Configuration> all = configurations();
  for (Configuration& c : all) {
    if (seed % 6 == 5) c.options.max_facts = 3;
    if (seed % 4 == 3) c.options.interprocedural = false;
    c.options.exact_sources = seed % 2 == 1;
  }
  return all;
}

std::string describe(const Program& program, const Configuration& configuration,
                     const Complaint& wrong, logic::Entailment& entailment) {
  return std::string(configuration.name) + ": " + wrong.text + "\n" + print(program) +
         "\nwith checks:\n" +
         print(place_program(program, entailment, configuration.options).program);
}

// The smallest program found with the same complaint under the configuration that has it.
std::string shrunk(const Program& program, const Configuration& configuration,
                   const Complaint& wrong, logic::Entailment& entailment,
                   const ExploreOptions& options) {
  const auto same = [&](const Program& p) -> std::optional<Complaint> {
    auto again = complaint(p, {configuration}, entailment, options);
    if (again && again->judge != wrong.judge) again.reset();
    return again;
  };
  if (!same(program)) return describe(program, configuration, wrong, entailment);
  const Program small = shrink(program, [&](const Program& p) { return same(p).has_value(); });
  return describe(small, configuration, *same(small), entailment);
}

}  // namespace

std::optional<std::string> run_campaign(std::uint64_t first, std::uint64_t count,
                                        logic::Entailment& entailment, Totals& totals) {
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    const bool diverging = seed % 5 == 4;
    const Program program = generate(seed, {diverging});
    const ExploreOptions options = campaign_explore_options(diverging);
    const std::vector<Configuration> all = configurations_for(seed);
    ExploreReport report;
    if (const auto wrong = complaint(program, all, entailment, options, &report)) {
      return "seed " + std::to_string(seed) + ", " +
             shrunk(program, all[wrong->configuration], *wrong, entailment, options);
    }
    ++totals.programs;
    totals.executions += report.executions;
    totals.not_exhaustive += !report.exhaustive;
    totals.accesses += report.accesses;
    totals.racy_programs += report.racy_executions > 0;
    for (std::size_t c = 0; c < all.size(); ++c) totals.checks[c] += report.checks[c];
  }
  return std::nullopt;
}

}  // namespace bigfoot::bfj
