// montecarlo: pricing by simulated paths of a stock (Java Grande, section 3).
//
// A run draws a path of 1000 daily prices, takes its returns and estimates the rate and the
// volatility that produced it. Threads take contiguous blocks of the runs; every result, with its
// path, is appended to one list under a lock and kept until the end: an object behind a pointer, as
// in the published program. Arrays written once by one thread, read once by another, and a lot of
// memory.
//
// The published program estimates the rate and volatility to simulate from a file of historical
// rates; here they are given, so its reference result does not apply. Valid if the mean estimates
// lie within five standard errors of what was simulated and sampled runs, repeated, give the same
// path bit by bit.
#include <cmath>
#include <memory>
#include <mutex>
#include <vector>

#include "bench/programs/common/java_random.h"
#include "bench/programs/common/program.h"
#include "bench/programs/common/team.h"

namespace {

// A and B are published.
constexpr bench::BySize<std::size_t> kRuns{40, 2'000, 10'000, 60'000, 120'000};
constexpr std::size_t kSteps = 1000;
constexpr double kYearsPerStep = 1.0 / 365;
constexpr double kStartPrice = 100;
constexpr double kRate = 0.08;  // per year
constexpr double kVolatility = 0.24;

using Path = std::vector<double>;

struct Estimate {
  double rate = 0;
  double volatility = 0;
};

struct RunResult {
  std::size_t run = 0;
  Estimate estimate;
  Path prices;
};

Path simulate(std::size_t run) {
  bench::JavaRandom random(11 * run);
  const double drift = (kRate - 0.5 * kVolatility * kVolatility) * kYearsPerStep;
  const double deviation = kVolatility * std::sqrt(kYearsPerStep);
  Path fluctuations(kSteps);
  for (double& f : fluctuations) f = drift + deviation * random.next_gaussian();
  Path prices(kSteps);
  prices[0] = kStartPrice;
  for (std::size_t i = 1; i < kSteps; ++i) prices[i] = prices[i - 1] * std::exp(fluctuations[i]);
  return prices;
}

Estimate estimate(const Path& prices) {
  Path returns(prices.size() - 1);
  for (std::size_t i = 0; i < returns.size(); ++i) returns[i] = std::log(prices[i + 1] / prices[i]);
  const auto count = static_cast<double>(returns.size());
  double mean = 0;
  for (double r : returns) mean += r;
  mean /= count;
  double variance = 0;
  for (double r : returns) variance += (r - mean) * (r - mean);
  variance /= count - 1;
  const double yearly = variance / kYearsPerStep;
  return {mean / kYearsPerStep + 0.5 * yearly, std::sqrt(yearly)};
}

using Results = std::vector<std::unique_ptr<const RunResult>>;

class ResultList {
 public:
  explicit ResultList(std::size_t runs) { results_.reserve(runs); }

  void add(std::unique_ptr<const RunResult> result) {
    std::lock_guard lock(mutex_);
    results_.push_back(std::move(result));
  }

  // REQUIRES: the threads that add have been joined.
  const Results& results() const { return results_; }

 private:
  std::mutex mutex_;
  Results results_;  // guarded by mutex_; in the order in which the runs ended
};

// Means over the runs, added in the order of the runs so that they do not depend on the schedule.
Estimate mean_estimate(const Results& results) {
  std::vector<const RunResult*> by_run(results.size());
  for (const auto& r : results) by_run[r->run] = r.get();
  Estimate mean;
  for (const RunResult* r : by_run) {
    mean.rate += r->estimate.rate;
    mean.volatility += r->estimate.volatility;
  }
  mean.rate /= static_cast<double>(results.size());
  mean.volatility /= static_cast<double>(results.size());
  return mean;
}

bool is_plausible(const Estimate& mean, std::size_t runs) {
  const double years = kYearsPerStep * static_cast<double>(kSteps - 1);
  const double rate_error = kVolatility / std::sqrt(years * static_cast<double>(runs));
  const double volatility_error =
      kVolatility / std::sqrt(2.0 * static_cast<double>((kSteps - 1) * runs));
  // The root of an unbiased variance is low by about volatility / (4 steps).
  const double bias = kVolatility / (4.0 * static_cast<double>(kSteps));
  return std::abs(mean.rate - kRate) <= 5 * rate_error &&
         std::abs(mean.volatility - kVolatility) <= 5 * volatility_error + bias;
}

bool runs_repeat(const Results& results) {
  const std::size_t stride = results.size() / 16 + 1;
  for (std::size_t i = 0; i < results.size(); i += stride) {
    if (simulate(results[i]->run) != results[i]->prices) return false;
  }
  return true;
}

bench::Result run(const bench::Options& options, bench::KernelTimer& timer) {
  const std::size_t runs = kRuns[options.size];
  ResultList list(runs);

  timer.start();
  bench::run_team(options.threads, [&](int id) {
    const auto [begin, end] = bench::block_of(0, runs, id, options.threads);
    for (std::size_t i = begin; i < end; ++i) {
      auto result = std::make_unique<RunResult>(RunResult{i, {}, simulate(i)});
      result->estimate = estimate(result->prices);
      list.add(std::move(result));
    }
  });
  const bool complete = list.results().size() == runs;
  const Estimate mean = complete ? mean_estimate(list.results()) : Estimate{};
  timer.stop();

  return {complete && is_plausible(mean, runs) && runs_repeat(list.results()),
          bench::format("%zu runs, mean rate %.6f", runs, mean.rate), bench::kByOrderOfThreads};
}

}  // namespace

int main(int argc, char** argv) {
  return bench::program_main(argc, argv, "montecarlo", run);
}
