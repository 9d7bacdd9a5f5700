// placement_campaign FIRST COUNT: the long run. Prints one line per thousand programs and a
// summary; the exit status says whether every placement was precise and accepted. Comparing the
// engines on every query is left to placement_random_test: it triples the time.
#include <cstdio>
#include <cstdlib>

#include "analysis/solver/standard_chain.h"
#include "tests/placement/campaign.h"

int main(int argc, char** argv) {
  using namespace bigfoot;
  const std::uint64_t first = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 0;
  const std::uint64_t count = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 3000;
  auto chain = solver::make_chain(solver::Engines::Both);
  bfj::Totals totals;
  constexpr std::uint64_t kChunk = 1000;
  for (std::uint64_t done = 0; done < count; done += kChunk) {
    const std::uint64_t n = count - done < kChunk ? count - done : kChunk;
    if (const auto failure = bfj::run_campaign(first + done, n, *chain, totals)) {
      std::printf("%s\n", failure->c_str());
      return 1;
    }
    std::printf("%llu programs, %llu executions\n", (unsigned long long)totals.programs,
                (unsigned long long)totals.executions);
    std::fflush(stdout);
  }
  std::printf(
      "seeds %llu..%llu: %llu programs, %llu with races, %llu executions judged, "
      "%llu run-time errors, %llu explorations bounded\n",
      (unsigned long long)first, (unsigned long long)(first + count - 1),
      (unsigned long long)totals.programs, (unsigned long long)totals.racy_programs,
      (unsigned long long)totals.executions, (unsigned long long)totals.faulted,
      (unsigned long long)totals.not_exhaustive);
  for (std::size_t c = 0; c < bfj::configurations().size(); ++c) {
    std::printf("%s: %llu checks for %llu accesses\n", bfj::configurations()[c].name,
                (unsigned long long)totals.checks[c], (unsigned long long)totals.accesses);
  }
  std::printf("%s", chain->statistics().c_str());
  return 0;
}
