#include "tests/placement/detector_campaign.h"

#include <algorithm>

#include "frontends/bfj/place_program.h"
#include "frontends/bfj/printer.h"
#include "frontends/bfj/shadow_map.h"
#include "tests/placement/generator.h"
#include "tests/placement/habits.h"
#include "tests/placement/runtime_detector.h"
#include "tests/placement/shrink.h"

namespace bigfoot::bfj {
namespace {

using proxies::Relation;
using Looks = RuntimeDetector::Looks;
using rt::ArrayForms;

void count(const ShadowMap& map, Relation relation, DetectorTotals& totals) {
  const bool symmetric = relation == Relation::Symmetric;
  const bool arrays = std::any_of(map.arrays().begin(), map.arrays().end(),
                                  [](const auto& p) { return p.has_value(); });
  (symmetric ? totals.with_symmetric_field_proxies : totals.with_field_proxies) +=
      !map.fields().empty();
  (symmetric ? totals.with_symmetric_array_proxies : totals.with_array_proxies) += arrays;
}

// The detectors of one placement.
std::vector<RuntimeDetector> detectors_for(bool redcard, bool address_precise, ShadowMap shadow) {
  std::vector<RuntimeDetector> all;
  const auto add = [&](const char* name, Looks looks, std::optional<ArrayForms> forms,
                       ShadowMap map, bool precise) {
    all.emplace_back(RuntimeDetector::Options{name, looks, forms, std::move(map), precise});
  };
  if (redcard) {
    ShadowMap fields_only(shadow.fields(), {}, shadow.relation());
    add("redcard", Looks::AtChecks, std::nullopt, std::move(shadow), address_precise);
    add("slimcard", Looks::AtChecks, ArrayForms::kTable, fields_only, address_precise);
    add("slimcard (segments)", Looks::AtChecks, ArrayForms::kSegments, fields_only,
        address_precise);
  } else {
    // These look at every access, so one placement's traces are as good as another's.
    add("fasttrack", Looks::AtAccesses, std::nullopt, {}, true);
    add("slimstate", Looks::AtAccesses, ArrayForms::kTable, {}, true);
    add("slimstate (segments)", Looks::AtAccesses, ArrayForms::kSegments, {}, true);
    add("bigfoot", Looks::AtChecks, ArrayForms::kSegments, std::move(shadow), address_precise);
  }
  return all;
}

}  // namespace

std::optional<std::string> detector_complaint(const Program& program,
                                              const Configuration& configuration,
                                              logic::Entailment& entailment,
                                              const ExploreOptions& explore_options,
                                              DetectorTotals* totals) {
  const bool redcard = configuration.options.detector == placement::Detector::RedCard;
  const bool address_precise = configuration.precision == Precision::Address;
  const Relation relation = address_precise ? Relation::Symmetric : Relation::Any;
  const PlacedProgram placed = place_program(program, entailment, configuration.options);
  if (placed.rejection) return "GoodChecks: " + format(placed.analysed, *placed.rejection);
  ShadowMap shadow = compute_shadow_map(
      placed, {.relation = relation, .arrays = redcard, .by_check = !redcard}, entailment);
  if (auto wrong = reject_shadow_map(placed, shadow, entailment)) return "proxies: " + *wrong;
  if (totals != nullptr) count(shadow, relation, *totals);

  std::vector<RuntimeDetector> detectors =
      detectors_for(redcard, address_precise, std::move(shadow));
  ExploreOptions options = explore_options;
  options.precision = {configuration.precision};
  for (RuntimeDetector& d : detectors) options.detectors.push_back(&d);
  const ExploreReport report = explore(placed.program, options);
  if (totals != nullptr) {
    totals->executions += report.executions;
    totals->racy_programs += !redcard && address_precise && report.racy_executions > 0;
  }
  if (report.failure) return report.failure->what;
  return std::nullopt;
}

std::optional<std::string> run_detector_campaign(std::uint64_t first, std::uint64_t count,
                                                 logic::Entailment& entailment,
                                                 DetectorTotals& totals) {
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    const bool diverging = seed % 5 == 4;
    Program program = generate(seed, {diverging});
    if (seed % 2 == 1) program = with_habits(program, seed);
    ExploreOptions options = campaign_explore_options(diverging);
    options.max_executions = diverging ? 6 : 20;
    ++totals.programs;
    for (const Configuration& configuration : configurations()) {
      const auto complain = [&](const Program& p, DetectorTotals* into) {
        return detector_complaint(p, configuration, entailment, options, into);
      };
      if (!complain(program, &totals)) continue;
      const Program small =
          shrink(program, [&](const Program& p) { return complain(p, nullptr).has_value(); });
      return "seed " + std::to_string(seed) + ", " + configuration.name + ": " +
             *complain(small, nullptr) + "\n" + print(small) + "\nwith checks:\n" +
             print(place_program(small, entailment, configuration.options).program);
    }
  }
  return std::nullopt;
}

}  // namespace bigfoot::bfj
