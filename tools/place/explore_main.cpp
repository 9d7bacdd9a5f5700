#include "frontends/bfj/explorer.h"
#include "frontends/bfj/place_program.h"
#include "frontends/bfj/printer.h"
#include "tools/place/input.h"
#include "tools/place/place_main.h"

namespace bigfoot::tools {
namespace {

void print_witness(const bfj::Program& program, const bfj::Failure& failure) {
  std::cout << failure.what << "\nschedule:";
  for (const bfj::ScheduleStep& s : failure.schedule) {
    std::cout << " " << bfj::index_of(s.thread) + 1 << (s.choice ? "?" : "");
  }
  std::cout << "\n" << bfj::format_trace(program, failure.trace);
}

}  // namespace

int explore_main(int argc, char** argv) {
  CLI::App app{"Runs a BFJ program under all schedules and judges its checks."};
  app.name("bigfoot explore");
  PlacementFlags flags;
  flags.add_to(app);
  bfj::ExploreOptions options;
  bool as_written = false, all = false;
  app.add_flag("--as-written", as_written, "Judge the checks in the file instead of placing some");
  app.add_flag("--no-reduction", all, "Try every interleaving, also of independent steps");
  app.add_option("--max-executions", options.max_executions, "Then random schedules");
  app.add_option("--random", options.random_executions, "How many random schedules");
  app.add_option("--seed", options.seed, "For random schedules");
  app.add_option("--max-steps", options.max_steps, "Per thread");
  CLI11_PARSE(app, argc, argv);

  const auto program = read_program(flags.file);
  if (!program) return 2;
  options.reduce = !all;
  options.slack = options.max_steps / 4;
  const bool trace_only = !flags.options.address_precise &&
                          flags.options.detector != placement::Detector::FastTrack && !as_written;
  options.precision = {trace_only ? bfj::Precision::Trace : bfj::Precision::Address};
  auto chain = solver::make_chain(flags.engines);

  bfj::Program to_run = bfj::clone(*program);
  if (!as_written) {
    // Through text, so that traces name the lines of what is printed by `bigfoot place`.
    auto placed = bfj::place_program(*program, *chain, flags.options);
    to_run = std::move(bfj::parse(bfj::print(placed.program)).program);
  }
  const bfj::ExploreReport report = bfj::explore(to_run, options);
  std::cout << report.executions << " executions"
            << (report.exhaustive ? " (all that differ)" : " (bounded, then random)") << ", "
            << report.racy_executions << " with a race; " << report.accesses << " accesses, "
            << report.checks[0] << " checks\n";
  if (report.faulted_executions > 0) {
    std::cout << report.faulted_executions << " executions ended in a run-time error and were not "
              << "judged\n";
  }
  if (report.race_witness) print_witness(to_run, *report.race_witness);
  if (report.failure) {
    std::cout << "NOT PRECISE: ";
    print_witness(to_run, *report.failure);
    return 1;
  }
  std::cout << (trace_only ? "trace-precise" : "address-precise") << " on every execution tried\n";
  return report.race_witness ? 1 : 0;
}

}  // namespace bigfoot::tools
