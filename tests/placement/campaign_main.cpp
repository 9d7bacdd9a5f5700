// placement_campaign [detectors] FIRST COUNT: the long run. Prints one line per thousand programs
// and a summary; the exit status says whether every placement was precise and accepted. With
// `detectors` the run time's five detectors and the shadow proxies are judged as well. Comparing
// the engines on every query is left to placement_random_test: it triples the time.
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string_view>

#include "analysis/solver/standard_chain.h"
#include "tests/placement/campaign.h"
#include "tests/placement/detector_campaign.h"

namespace {

using namespace bigfoot;
using Failure = std::optional<std::string>;

// Runs [first, first + count) in pieces; false at the first failure, which is printed.
bool in_pieces(std::uint64_t first, std::uint64_t count,
               const std::function<Failure(std::uint64_t first, std::uint64_t count)>& run,
               const std::uint64_t& executions) {
  constexpr std::uint64_t kPiece = 1000;
  for (std::uint64_t done = 0; done < count;) {
    const std::uint64_t n = count - done < kPiece ? count - done : kPiece;
    if (const Failure failure = run(first + done, n)) {
      std::printf("%s\n", failure->c_str());
      return false;
    }
    done += n;
    std::printf("%" PRIu64 " programs, %" PRIu64 " executions\n", done, executions);
    std::fflush(stdout);
  }
  return true;
}

bool placements(std::uint64_t first, std::uint64_t count, logic::Entailment& entailment) {
  bfj::Totals totals;
  const auto run = [&](std::uint64_t from, std::uint64_t n) {
    return bfj::run_campaign(from, n, entailment, totals);
  };
  if (!in_pieces(first, count, run, totals.executions)) return false;
  std::printf("seeds %" PRIu64 "..%" PRIu64 ": %" PRIu64 " programs, %" PRIu64
              " with races, %" PRIu64 " executions, each judged under %zu placements, %" PRIu64
              " explorations bounded\n",
              first, first + count - 1, totals.programs, totals.racy_programs, totals.executions,
              bfj::configurations().size(), totals.not_exhaustive);
  for (std::size_t c = 0; c < bfj::configurations().size(); ++c) {
    std::printf("%s: %" PRIu64 " checks for %" PRIu64 " accesses\n", bfj::configurations()[c].name,
                totals.checks[c], totals.accesses);
  }
  return true;
}

bool detectors(std::uint64_t first, std::uint64_t count, logic::Entailment& entailment) {
  bfj::DetectorTotals totals;
  const auto run = [&](std::uint64_t from, std::uint64_t n) {
    return bfj::run_detector_campaign(from, n, entailment, totals);
  };
  if (!in_pieces(first, count, run, totals.executions)) return false;
  std::printf("seeds %" PRIu64 "..%" PRIu64 ", all detectors: %" PRIu64 " programs, %" PRIu64
              " with races, %" PRIu64 " executions judged; placements with field proxies %" PRIu64
              " (symmetric %" PRIu64 "), with array proxies %" PRIu64 " (symmetric %" PRIu64 ")\n",
              first, first + count - 1, totals.programs, totals.racy_programs, totals.executions,
              totals.with_field_proxies, totals.with_symmetric_field_proxies,
              totals.with_array_proxies, totals.with_symmetric_array_proxies);
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  const bool all_detectors = argc > 1 && std::string_view(argv[1]) == "detectors";
  const int at = all_detectors ? 2 : 1;
  const std::uint64_t first = argc > at ? std::strtoull(argv[at], nullptr, 10) : 0;
  const std::uint64_t count = argc > at + 1 ? std::strtoull(argv[at + 1], nullptr, 10) : 3000;
  auto chain = solver::make_chain(solver::Engines::Both);
  const bool good =
      all_detectors ? detectors(first, count, *chain) : placements(first, count, *chain);
  if (good) std::printf("%s", chain->statistics().c_str());
  return good ? 0 : 1;
}
