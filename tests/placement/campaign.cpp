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
  // The longest loops that do end (three nested calls deep) take some four hundred steps; an access
  // may wait that long for its check.
  o.max_steps = diverging ? 900 : 2500;
  o.slack = diverging ? 700 : 2000;
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

std::optional<std::string> run_campaign(std::uint64_t first, std::uint64_t count,
                                        logic::Entailment& entailment, Totals& totals) {
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    const bool diverging = seed % 5 == 4;
    const Program program = generate(seed, {diverging});
    const ExploreOptions explore_options = campaign_explore_options(diverging);
    ++totals.programs;
    bool racy = false;
    for (std::size_t c = 0; c < configurations().size(); ++c) {
      const Configuration& configuration = configurations()[c];
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
