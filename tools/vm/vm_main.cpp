#include "tools/vm/vm_main.h"

#include <iostream>

#include "frontends/bfj/oracle.h"
#include "frontends/bfj/vm/lard_monitor.h"
#include "frontends/bfj/vm/recorder.h"
#include "tools/vm/input.h"

namespace bigfoot::tools {
namespace {

constexpr int kRaces = 66, kImprecise = 1, kUsage = 2, kFailed = 3;

std::string place(const std::string& file, const bfj::Code::Instruction* i) {
  return file + ":" + std::to_string(i->pos.line) + ":" + std::to_string(i->pos.column);
}

bool writes(const bfj::Code::Instruction* i) {
  return i->op == bfj::Code::Op::WriteField || i->op == bfj::Code::Op::WriteElement;
}

void print_races(const std::string& file, const vm::LardMonitor& detector,
                 const ManagedProgram& p) {
  for (const vm::FoundRace& r : detector.races())
    std::cout << "data race: " << (writes(r.current) ? "write" : "read") << " at "
              << place(file, r.current) << ", previous " << (writes(r.previous) ? "write" : "read")
              << " at " << place(file, r.previous) << "\n";
  for (const bfj::Location& l : detector.locations())
    std::cout << "racy: " << name_of(l, p) << "\n";
}

// Whether the detector has found what the oracle finds in the same execution, and nothing else. An
// access that was refused would have been a race; what was let happen has none, if any was refused.
bool agrees(const vm::Recorder& recorder, const vm::LardMonitor& detector, const ManagedProgram& p,
            bool refuses) {
  const auto races =
      bfj::judge_races(vm::program_trace(recorder.events(), vm::RefusedAccesses::AsIfTheyHappened));
  bool same = true;
  const auto wrong = [&](const char* how, const bfj::Location& l) {
    std::cout << "NOT PRECISE: " << how << " " << name_of(l, p) << "\n";
    same = false;
  };
  for (const bfj::Location& l : races)
    if (!detector.locations().contains(l)) wrong("missed", l);
  for (const bfj::Location& l : detector.locations())
    if (!races.contains(l)) wrong("false alarm at", l);
  if (refuses)
    for (const bfj::Location& l :
         bfj::judge_races(vm::program_trace(recorder.events(), vm::RefusedAccesses::LeftOut)))
      wrong("let happen", l);
  std::cout << "oracle: " << races.size() << " racy locations, "
            << (same ? "the same" : "NOT the same") << "\n";
  return same;
}

// How the program ended, if not by the end of its threads.
void print_ending(const vm::VmResult& r, const vm::VmOptions& options) {
  for (const std::string& f : r.faults) std::cout << f << "\n";
  if (const std::string why = unfinished(r, options); !why.empty()) std::cout << why << "\n";
}

}  // namespace

int vm_main(int argc, char** argv) {
  CLI::App app{
      "Runs a BFJ program on a managed run time, its races found through <bigfoot/lard.h>."};
  app.name("bigfoot vm");
  std::string file, collector = "semispace", on_race = "report";
  vm::VmOptions options;
  bool check = false;
  app.add_option("FILE", file, "The program")->required();
  app.add_option("--collector", collector, "semispace, marksweep or concurrent")
      ->check(CLI::IsMember({"semispace", "marksweep", "concurrent"}));
  app.add_option("--on-race", on_race,
                 "report; throw: the program gets an exception instead of the "
                 "second access; trap: SIGTRAP before it")
      ->check(CLI::IsMember({"report", "throw", "trap"}));
  app.add_flag("--oracle", check, "Record the run and compare with the naive oracle");
  add_options(app, options);
  app.footer(
      "Exit code: 66 if there are races; 3 if a thread ended by an error, or the program by a\n"
      "deadlock or a full heap; 1 if the oracle disagrees; 2 for bad usage.");
  if (const auto code = parse(app, argc, argv)) return *code;
  options.collector = *collector_named(collector);
  const auto program = load_program(file);
  if (program == nullptr) return kUsage;
  if (bf_lard_version() == 0) {
    std::cerr << "bigfoot vm: error: linked without the race detector\n";
    return kUsage;
  }

  vm::LardMonitor detector(on_race == "throw"  ? vm::OnRace::Throw
                           : on_race == "trap" ? vm::OnRace::Trap
                                               : vm::OnRace::Report);
  vm::Recorder recorder(detector);
  vm::Monitor& monitor = check ? static_cast<vm::Monitor&>(recorder) : detector;
  const vm::VmResult r = vm::run(program->program, program->compiled, options, monitor);

  print_races(file, detector, *program);
  print_ending(r, options);
  std::cout << r.threads << " threads, " << r.instructions << " instructions, " << r.allocations
            << " allocations, " << r.collections << " collections, " << r.migrations
            << " migrations, " << detector.locations().size() << " racy locations\n";
  if (check && !agrees(recorder, detector, *program, on_race != "report")) return kImprecise;
  if (!detector.locations().empty()) return kRaces;
  return r.faults.empty() && r.ending == vm::Ending::AllThreadsEnded ? 0 : kFailed;
}

}  // namespace bigfoot::tools
