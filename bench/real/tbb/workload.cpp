// oneTBB's containers: threads count words in a concurrent_hash_map and log what they erase in a
// concurrent_vector.
//
// The containers are templates and so are instrumented; next to nothing of the library itself is
// used. Entries are plain values guarded by the map's own per-entry locks.
//
// Valid if the counts that are left and those that were erased add up to the words that were
// counted.
#include <tbb/concurrent_hash_map.h>
#include <tbb/concurrent_vector.h>

#include <cstdint>
#include <memory>
#include <utility>

#include "bench/programs/common/mix.h"
#include "bench/programs/common/program.h"
#include "bench/programs/common/team.h"

namespace {

constexpr bench::BySize<std::uint64_t> kWords{2'000, 60'000, 1'000'000, 6'000'000,
                                              24'000'000};  // of each thread
constexpr std::uint64_t kVocabulary = 20'000;
constexpr std::uint64_t kEraseEvery = 64;

struct Entry {
  std::uint64_t count = 0;
  std::uint64_t last_position = 0;
};

// With the standard allocator: TBB's own reuses memory where no detector sees it.
using Counts = tbb::concurrent_hash_map<std::uint64_t, Entry, tbb::tbb_hash_compare<std::uint64_t>,
                                        std::allocator<std::pair<const std::uint64_t, Entry>>>;
using Erased = tbb::concurrent_vector<std::uint64_t, std::allocator<std::uint64_t>>;

void count_words(Counts& counts, Erased& erased, int id, std::uint64_t words) {
  bench::Random random(static_cast<std::uint64_t>(id));
  for (std::uint64_t i = 0; i < words; ++i) {
    Counts::accessor entry;
    counts.insert(entry, random.skewed(kVocabulary));
    ++entry->second.count;
    entry->second.last_position = i;
    if (i % kEraseEvery != 0) continue;
    erased.push_back(entry->second.count);
    counts.erase(entry);
  }
}

bench::Result run(const bench::Options& options, bench::KernelTimer& timer) {
  const std::uint64_t words = kWords[options.size];
  Counts counts;
  Erased erased;

  timer.start();
  bench::run_team(options.threads, [&](int id) { count_words(counts, erased, id, words); });
  timer.stop();

  std::uint64_t total = 0;
  for (const auto& [word, entry] : counts) total += entry.count;
  for (std::uint64_t count : erased) total += count;
  const std::uint64_t expected = words * static_cast<std::uint64_t>(options.threads);
  return {total == expected,
          bench::format("%llu words", static_cast<unsigned long long>(expected))};
}

}  // namespace

int main(int argc, char** argv) {
  return bench::program_main(argc, argv, "tbb", run);
}
