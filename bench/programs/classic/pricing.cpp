// pricing: Monte-Carlo prices of swaptions on a curve of forward rates that moves as a whole
// (Heath, Jarrow and Morton, "Bond pricing and the term structure of interest rates", 1992). In the
// spirit of swaptions of the PARSEC suite.
//
// A swaption is priced by some thousand paths of the curve, in batches. Each batch allocates its
// own small matrices, arrays of pointers to rows, for the shocks and for the curve at each step.
// Threads own blocks of swaptions and share nothing else; the random numbers belong to the
// swaption.
//
// A result does not depend on threads. Valid if, within five standard errors, the price of the
// right to pay less that of the right to receive is the value of the swap, which does not depend on
// the model; and if the variance of the rate at expiry is the sum of the variances of its steps.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <vector>

#include "bench/programs/common/mix.h"
#include "bench/programs/common/program.h"
#include "bench/programs/common/team.h"

namespace {

struct Workload {
  std::size_t swaptions;
  std::size_t batches;  // of each
};

constexpr bench::BySize<Workload> kWorkload{
    {9, 12}, {16, 300}, {32, 1'200}, {64, 2'400}, {128, 4'800}};
constexpr std::size_t kBatch = 16;   // paths
constexpr std::size_t kRates = 24;   // of the curve, for half a year each
constexpr std::size_t kFactors = 3;  // that the curve moves by
constexpr double kPeriod = 0.5;

// Rows on the heap, found through an array of pointers.
class Matrix {
 public:
  Matrix(std::size_t rows, std::size_t columns) : rows_(new double*[rows]) {
    rows_[0] = new double[rows * columns]();
    for (std::size_t i = 1; i < rows; ++i) rows_[i] = rows_[i - 1] + columns;
  }
  Matrix(const Matrix&) = delete;
  Matrix& operator=(const Matrix&) = delete;
  ~Matrix() {
    delete[] rows_[0];
    delete[] rows_;
  }

  double* operator[](std::size_t row) { return rows_[row]; }
  const double* operator[](std::size_t row) const { return rows_[row]; }

 private:
  double** rows_;
};

// The right to enter, after `expiry` periods, a swap of `payments` payments, one every two periods.
struct Swaption {
  std::size_t expiry;
  std::size_t payments;
  double strike;

  std::size_t end() const { return expiry + 2 * payments; }
};

Swaption swaption(std::size_t number) {
  const std::size_t expiry = 4 + number % 7;
  return {expiry, 2 + number % 6, 0.025 + 0.001 * static_cast<double>(number % 11)};
}

double first_rate(std::size_t period) {
  return 0.02 + 0.001 * static_cast<double>(period);
}

// The volatility of a rate that begins so many periods ahead: a level, a slope, a bend.
double volatility(std::size_t factor, std::size_t ahead) {
  const double years = kPeriod * static_cast<double>(ahead);
  if (factor == 0) return 0.008;
  if (factor == 1) return 0.006 * std::exp(-0.3 * years);
  return 0.004 * std::exp(-0.15 * years) * (1 - 0.3 * years);
}

// The discount from the beginning of period `end` to that of period `begin`, on one curve.
double discount(const double* rates, std::size_t begin, std::size_t end) {
  double sum = 0;
  for (std::size_t i = begin; i < end; ++i) sum += rates[i];
  return std::exp(-kPeriod * sum);
}

// The value, at the expiry, of paying the strike and receiving what rates turn out to be.
double swap_value(const Swaption& swaption, const double* rates) {
  double fixed = 0;
  for (std::size_t n = 1; n <= swaption.payments; ++n) {
    fixed +=
        2 * kPeriod * swaption.strike * discount(rates, swaption.expiry, swaption.expiry + 2 * n);
  }
  return 1 - discount(rates, swaption.expiry, swaption.end()) - fixed;
}

// The moments of something observed on many paths.
struct Moments {
  double count = 0, sum = 0, squares = 0;

  void add(double x) { ++count, sum += x, squares += x * x; }
  double mean() const { return sum / count; }
  double variance() const { return squares / count - mean() * mean(); }
  double standard_error() const { return std::sqrt(variance() / count); }
};

struct Price {
  Moments pay, receive, swap;
  Moments rate;  // at expiry
};

// Simulates and prices one swaption.
class Pricer {
 public:
  Pricer(const Swaption& swaption, std::uint64_t seed)
      : swaption_(swaption),
        random_(seed << 32),
        volatility_(kFactors, kRates),
        drift_(swaption.expiry + 1, kRates) {
    for (std::size_t factor = 0; factor < kFactors; ++factor) {
      for (std::size_t i = 0; i < kRates; ++i) volatility_[factor][i] = volatility(factor, i);
    }
    for (std::size_t step = 1; step <= swaption.expiry; ++step) fill_drift(step);
  }

  Price price(std::size_t batches) {
    Price price;
    for (std::size_t i = 0; i < batches; ++i) add_batch(price);
    return price;
  }

 private:
  // The drift that keeps the mean of all discounted bonds where it is, with steps as they are here
  // and not only in the limit (Glasserman, "Monte Carlo Methods in Financial Engineering", 3.6.2).
  void fill_drift(std::size_t step) {
    std::array<double, kFactors> sum{};
    double before = 0;
    for (std::size_t i = step; i < kRates; ++i) {
      double squares = 0;
      for (std::size_t factor = 0; factor < kFactors; ++factor) {
        sum[factor] += kPeriod * volatility_[factor][i - step];
        squares += sum[factor] * sum[factor];
      }
      drift_[step][i] = 0.5 * (squares - before);
      before = squares;
    }
  }

  void add_batch(Price& price) {
    Matrix shocks(kFactors * swaption_.expiry, kBatch);
    for (std::size_t row = 0; row < kFactors * swaption_.expiry; ++row) fill_normal(shocks[row]);
    for (std::size_t path = 0; path < kBatch; ++path) {
      Matrix curve(swaption_.expiry + 1, kRates);
      move_curve(curve, shocks, path);
      double passed = 0;
      for (std::size_t step = 0; step < swaption_.expiry; ++step) passed += curve[step][step];
      const double* last = curve[swaption_.expiry];
      const double value = std::exp(-kPeriod * passed) * swap_value(swaption_, last);
      price.pay.add(std::max(value, 0.0));
      price.receive.add(std::max(-value, 0.0));
      price.swap.add(value);
      price.rate.add(last[swaption_.expiry]);
    }
  }

  // Independent normal numbers, in pairs (Box and Muller).
  void fill_normal(double* row) {
    for (std::size_t i = 0; i < kBatch; i += 2) {
      const double size = std::sqrt(-2 * std::log(1 - random_.unit()));
      const double angle = 2 * std::numbers::pi * random_.unit();
      row[i] = size * std::cos(angle);
      row[i + 1] = size * std::sin(angle);
    }
  }

  // Rates of periods that have begun stay as they are in the row of their step.
  void move_curve(Matrix& curve, const Matrix& shocks, std::size_t path) const {
    const double root = std::sqrt(kPeriod);
    for (std::size_t i = 0; i < kRates; ++i) curve[0][i] = first_rate(i);
    for (std::size_t step = 1; step <= swaption_.expiry; ++step) {
      for (std::size_t i = step; i < kRates; ++i) {
        double shock = 0;
        for (std::size_t factor = 0; factor < kFactors; ++factor) {
          shock += volatility_[factor][i - step] * shocks[(step - 1) * kFactors + factor][path];
        }
        curve[step][i] = curve[step - 1][i] + drift_[step][i] + root * shock;
      }
    }
  }

  const Swaption swaption_;
  bench::Random random_;
  Matrix volatility_;  // by factor and periods ahead
  Matrix drift_;       // by step and rate
};

bool is_right(const Swaption& swaption, const Price& price) {
  std::array<double, kRates> rates;
  for (std::size_t i = 0; i < kRates; ++i) rates[i] = first_rate(i);
  const double swap =
      discount(rates.data(), 0, swaption.expiry) * swap_value(swaption, rates.data());
  const double parity = price.pay.mean() - price.receive.mean();
  double variance = 0;
  for (std::size_t ahead = 0; ahead < swaption.expiry; ++ahead) {
    for (std::size_t factor = 0; factor < kFactors; ++factor) {
      variance += kPeriod * volatility(factor, ahead) * volatility(factor, ahead);
    }
  }
  // The variance of normal numbers is known to a share of sqrt(2 / count).
  const double share = std::sqrt(2 / price.rate.count);
  return std::abs(parity - swap) <= 5 * price.swap.standard_error() &&
         std::abs(price.rate.variance() / variance - 1) <= 5 * share;
}

bench::Result run(const bench::Options& options, bench::KernelTimer& timer) {
  const Workload& workload = kWorkload[options.size];
  std::vector<Price> prices(workload.swaptions);

  timer.start();
  bench::run_team(options.threads, [&](int id) {
    const auto own = bench::block_of(0, prices.size(), id, options.threads);
    for (std::size_t i = own.begin; i < own.end; ++i) {
      prices[i] = Pricer(swaption(i), i).price(workload.batches);
    }
  });
  timer.stop();

  bool valid = true;
  double sum = 0;
  for (std::size_t i = 0; i < prices.size(); ++i) {
    valid &= is_right(swaption(i), prices[i]);
    sum += prices[i].pay.mean();
  }
  return {valid, bench::format("%zu swaptions, mean price %.9f", prices.size(),
                               sum / static_cast<double>(prices.size()))};
}

}  // namespace

int main(int argc, char** argv) {
  return bench::program_main(argc, argv, "pricing", run);
}
