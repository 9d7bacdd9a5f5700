#include <filesystem>
#include <iomanip>
#include <iostream>

#include "bigfoot/lard.h"
#include "frontends/bfj/oracle.h"
#include "frontends/bfj/vm/study.h"
#include "tools/vm/input.h"
#include "tools/vm/vm_main.h"

namespace bigfoot::tools {
namespace {

constexpr int kUsage = 2, kFailed = 3;

struct Row {
  std::string program, collector;
  std::uint64_t collections = 0, accesses = 0;
  vm::StudyCounts lard, racy;
  struct Wrong {
    vm::StudyCounts false_races, missed_races;
  };
  std::vector<Wrong> others;  // as in kStudyDetectors, without LARD
  bool as_oracle = false;
};

// Nothing, after a line on stderr, if the program did not come to its end: a part of an execution
// says nothing about the detectors.
std::optional<Row> study(const ManagedProgram& p, std::string name, std::string collector,
                         const vm::VmOptions& options) {
  vm::Monitor nobody;
  vm::Recorder recorder(nobody);
  const vm::VmResult result = vm::run(p.program, p.compiled, options, recorder);
  if (const std::string why = unfinished(result, options); !why.empty()) {
    std::cerr << "bigfoot lard-study: error: " << name << ", " << collector << ": " << why << "\n";
    return std::nullopt;
  }
  const auto& events = recorder.events();
  Row row{std::move(name), std::move(collector), result.collections, 0, {}, {}, {}, false};
  for (const vm::RecordedEvent& e : events) row.accesses += e.is_program_access();
  std::vector<bool> lard;
  for (const vm::StudyDetector& d : vm::kStudyDetectors) {
    const std::vector<bool> racy = vm::replay(events, d);
    if (&d == &vm::kStudyDetectors.front()) {
      lard = racy;
      row.lard = vm::total(events, racy);
      continue;
    }
    row.others.push_back({vm::difference(events, racy, lard), vm::difference(events, lard, racy)});
  }
  row.as_oracle = vm::racy_locations(events, lard) ==
                  bfj::judge_races(vm::program_trace(events, vm::RefusedAccesses::LeftOut));
  return row;
}

void print_cells(const vm::StudyCounts& c) {
  std::cout << std::setw(7) << c.accesses << std::setw(5) << c.places;
}

void print_head() {
  std::cout << std::left << std::setw(18) << "program" << std::setw(11) << "collector" << std::right
            << std::setw(6) << "GCs" << std::setw(9) << "accesses" << std::setw(12) << "LARD";
  for (std::size_t i = 1; i < vm::kStudyDetectors.size(); ++i)
    std::cout << std::setw(24) << vm::kStudyDetectors[i].name;
  std::cout << "  oracle\n" << std::setw(44) << "" << std::setw(7) << "DRE" << std::setw(5) << "PC";
  for (std::size_t i = 1; i < vm::kStudyDetectors.size(); ++i)
    std::cout << std::setw(7) << "F DRE" << std::setw(5) << "F PC" << std::setw(7) << "M DRE"
              << std::setw(5) << "M PC";
  std::cout << "\n";
}

void print(const Row& row) {
  std::cout << std::left << std::setw(18) << row.program << std::setw(11) << row.collector
            << std::right << std::setw(6) << row.collections << std::setw(9) << row.accesses;
  print_cells(row.lard);
  for (const Row::Wrong& w : row.others) {
    print_cells(w.false_races);
    print_cells(w.missed_races);
  }
  std::cout << (row.as_oracle ? "  same" : "  DIFFERS") << std::endl;
}

// On how many rows each detector is wrong.
void print_summary(const std::vector<Row>& rows) {
  for (std::size_t d = 0; d + 1 < vm::kStudyDetectors.size(); ++d) {
    std::size_t false_rows = 0, missed_rows = 0, wrong = 0;
    for (const Row& r : rows) {
      const Row::Wrong& w = r.others[d];
      false_rows += w.false_races.accesses != 0;
      missed_rows += w.missed_races.accesses != 0;
      wrong += w.false_races.accesses != 0 || w.missed_races.accesses != 0;
    }
    std::cout << vm::kStudyDetectors[d + 1].name << ": wrong on " << wrong << " of " << rows.size()
              << " (false races on " << false_rows << ", missed on " << missed_rows << ")\n";
  }
}

std::vector<std::string> example_programs() {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(BIGFOOT_MANAGED_EXAMPLES))
    if (entry.path().extension() == ".bfj") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

int study_main(int argc, char** argv) {
  CLI::App app{
      "Seven detectors on one execution of each program, counted as in Tables 2 and 3 of the LARD\n"
      "paper: accesses at which a race is reported (DRE) and places in the text or the run time "
      "(PC);\n"
      "F: reported but no race, M: missed, both against LARD."};
  app.name("bigfoot lard-study");
  std::vector<std::string> files, collectors = {"marksweep", "semispace"};
  vm::VmOptions options;
  options.collect_every = 25;
  app.add_option("FILES", files, "BFJ programs; none: those of examples/managed");
  app.add_option("--collectors", collectors, "Of semispace, marksweep, concurrent")
      ->delimiter(',')
      ->check(CLI::IsMember({"semispace", "marksweep", "concurrent"}));
  add_options(app, options);
  app.footer(
      "Exit code: 1 if LARD differs from the oracle on a program; 3 if a program ends by a "
      "deadlock or\n"
      "a full heap; 2 for bad usage.");
  if (const auto code = parse(app, argc, argv)) return *code;
  if (bf_lard_version() == 0) {
    std::cerr << "bigfoot lard-study: error: linked without the race detector\n";
    return kUsage;
  }
  if (files.empty()) files = example_programs();

  // The study's own locks and memory are nobody's business; only what is replayed is.
  const lard::Untracked region;
  std::vector<std::unique_ptr<ManagedProgram>> programs;
  for (const std::string& file : files) {
    programs.push_back(load_program(file));
    if (programs.back() == nullptr) return kUsage;
  }
  std::vector<Row> rows;
  for (std::size_t i = 0; i < files.size(); ++i) {
    for (const std::string& collector : collectors) {
      options.collector = *collector_named(collector);
      const std::string name = std::filesystem::path(files[i]).stem();
      std::optional<Row> row = study(*programs[i], name, collector, options);
      if (!row) return kFailed;
      if (rows.empty()) print_head();
      rows.push_back(std::move(*row));
      print(rows.back());
    }
  }
  print_summary(rows);
  for (const Row& r : rows)
    if (!r.as_oracle) return 1;
  return 0;
}

}  // namespace bigfoot::tools
