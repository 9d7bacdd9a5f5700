#include "tools/place/place_main.h"

#include "analysis/solver/smtlib.h"
#include "frontends/bfj/contexts.h"
#include "frontends/bfj/place_program.h"
#include "frontends/bfj/printer.h"
#include "frontends/bfj/shadow_map.h"
#include "tools/place/input.h"

namespace bigfoot::tools {
namespace {

const char* reason(ir::Decision::Kind kind) {
  switch (kind) {
    case ir::Decision::Kind::Checked:
      return "checked";
    case ir::Decision::Kind::CoveredBefore:
      return "covered by an earlier check";
    case ir::Decision::Kind::Anticipated:
      return "a later access brings its check";
    case ir::Decision::Kind::RequiredByCaller:
      return "checked by every caller";
  }
  return "";
}

void print_decisions(const bfj::PlacedProgram& placed) {
  for (std::size_t f = 0; f < placed.functions.size(); ++f) {
    for (const ir::Decision& d : placed.placement.functions[f].plan.decisions) {
      const auto& pos = placed.functions[f].access_pos[ir::index_of(d.access)];
      std::cout << "// " << pos.line << ":" << pos.column << " "
                << placed.functions[f].access_text[ir::index_of(d.access)] << " -- "
                << reason(d.kind);
      if (!d.blocked_by.empty()) std::cout << ", stopped by " << d.blocked_by;
      std::cout << "\n";
    }
  }
}

// By the rule of the detector; relations in one direction count only where addresses need not be
// kept.
void print_proxies(const bfj::PlacedProgram& placed, const placement::Options& options,
                   logic::Entailment& entailment) {
  const bool by_check = options.detector == placement::Detector::BigFoot;
  const bfj::ShadowMap map = bfj::compute_shadow_map(
      placed,
      {.relation = options.address_precise ? proxies::Relation::Symmetric : proxies::Relation::Any,
       .arrays = !by_check,
       .by_check = by_check},
      entailment);
  for (const auto& [field, proxy] : map.fields()) {
    std::cout << "// the shadow of " << placed.field_names[static_cast<std::size_t>(proxy)]
              << " stands for " << placed.field_names[static_cast<std::size_t>(field)] << "\n";
  }
  const bfj::AllocationSites sites = bfj::allocation_sites(placed.program);
  for (std::size_t site = 0; site < map.arrays().size(); ++site) {
    if (!map.arrays()[site]) continue;
    std::cout << "// shadow of " << sites.sites[site].name << ": " << map.arrays()[site]->text()
              << "\n";
  }
}

}  // namespace

int place_main(int argc, char** argv) {
  CLI::App app{"Prints a BFJ program with its race checks in place."};
  app.name("bigfoot place");
  PlacementFlags flags;
  flags.add_to(app);
  bool contexts = false, statistics = false, explain = false;
  std::string dump;
  app.add_flag("--contexts", contexts, "Show the context H . A after each statement");
  app.add_flag("--statistics", statistics, "Count who proved what");
  app.add_flag("--explain", explain,
               "Say for each access where its check went, and shadow proxies");
  app.add_option("--dump-queries", dump, "Write every query that reached a solver as SMT-LIB here");
  CLI11_PARSE(app, argc, argv);

  const auto program = read_program(flags.file);
  if (!program) return 2;
  std::ofstream queries;
  if (!dump.empty()) queries.open(dump);
  auto chain = solver::make_chain(flags.engines, [&](const logic::Query& q, logic::Verdict v) {
    if (!queries.is_open()) return;
    constexpr const char* kNames[] = {"proved", "refuted", "unknown"};
    queries << "; " << kNames[static_cast<std::size_t>(v)] << "\n"
            << solver::to_smtlib(q) << "(reset)\n";
  });
  flags.options.record_contexts = contexts;
  const bfj::PlacedProgram placed = bfj::place_program(*program, *chain, flags.options);
  std::cout << bfj::print(placed.program,
                          contexts ? bfj::context_annotator(placed) : bfj::Annotator());
  if (explain) {
    print_decisions(placed);
    print_proxies(placed, flags.options, *chain);
  }
  if (statistics) std::cerr << chain->statistics();
  for (const std::string& problem : placed.problems) std::cerr << problem << "\n";
  if (placed.rejection) {
    std::cerr << "GoodChecks: " << good_checks::format(placed.analysed, *placed.rejection) << "\n";
    return 1;
  }
  return placed.problems.empty() ? 0 : 1;
}

}  // namespace bigfoot::tools
