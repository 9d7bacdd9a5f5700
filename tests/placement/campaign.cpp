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
  o.random_executions = diverging ? 3 : 8;
  // An access may wait for its check until the longest loops that do end have ended: nested loops
  // around nested calls take some thousand steps (seed 23804), and a thread that is stopped while
  // it waits has done nothing wrong.
  o.max_steps = 2500;
  o.slack = 2000;
  return o;
}

std::optional<Complaint> complaint(const Program& program, const Configuration& configuration,
                                   logic::Entailment& entailment,
                                   const ExploreOptions& explore_options, ExploreReport* report) {
  const PlacedProgram placed = place_program(program, entailment, configuration.options);
  if (!placed.problems.empty()) return Complaint{Judge::GoodChecks, placed.problems[0]};
  if (placed.rejection) {
    return Complaint{Judge::GoodChecks,
                     "GoodChecks: " + format(placed.analysed, *placed.rejection)};
  }
  ExploreOptions options = explore_options;
  options.precision = configuration.precision;
  ExploreReport r = explore(placed.program, options);
  std::optional<Complaint> result;
  if (r.failure) result = Complaint{Judge::Explorer, r.failure->what};
  if (report != nullptr) *report = std::move(r);
  return result;
}

namespace {

// Some seeds run what the defaults never reach: a fact budget that runs out (rule BUDGET), and
// redcard without specifications.
Configuration varied(Configuration c, std::uint64_t seed) {
  if (seed % 6 == 5) c.options.max_facts = 3;
  if (seed % 4 == 3) c.options.interprocedural = false;
  return c;
}

}  // namespace

std::optional<std::string> run_campaign(std::uint64_t first, std::uint64_t count,
                                        logic::Entailment& entailment, Totals& totals) {
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    const bool diverging = seed % 5 == 4;
    const Program program = generate(seed, {diverging});
    const ExploreOptions explore_options = campaign_explore_options(diverging);
    ++totals.programs;
    bool racy = false;
    for (std::size_t c = 0; c < configurations().size(); ++c) {
      const Configuration configuration = varied(configurations()[c], seed);
      ExploreReport report;
      const auto wrong = complaint(program, configuration, entailment, explore_options, &report);
      if (wrong) {
        const Program small = shrink(program, [&](const Program& p) {
          const auto again = complaint(p, configuration, entailment, explore_options);
          return again && again->judge == wrong->judge;
        });
        const auto final_complaint = complaint(small, configuration, entailment, explore_options);
        return "seed " + std::to_string(seed) + ", " + configuration.name + ": " +
               final_complaint->text + "\n" + print(small) + "\nwith checks:\n" +
               print(place_program(small, entailment, configuration.options).program);
      }
      totals.executions += report.executions;
      totals.faulted += report.faulted_executions;
      totals.not_exhaustive += !report.exhaustive;
      totals.checks[c] += report.checks;
      if (c == 0) totals.accesses += report.accesses;
      racy |= report.racy_executions > 0;
    }
    totals.racy_programs += racy;
  }
  return std::nullopt;
}

}  // namespace bigfoot::bfj
