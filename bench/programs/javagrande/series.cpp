// series: the first N pairs of Fourier coefficients of (x+1)^x on [0, 2] (Java Grande, section 2).
//
// Each coefficient is a 1000-step trapezoid sum of transcendental functions written to one array
// element, so that there is next to nothing to check: a detector's fixed costs show here.
//
// Valid if the first four pairs agree with the published ones to 1e-12.
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include "bench/programs/common/program.h"
#include "bench/programs/common/team.h"

namespace {

constexpr bench::BySize<std::size_t> kPairs{40, 1'000, 10'000, 100'000, 1'000'000};
constexpr double kFrom = 0, kTo = 2;
constexpr int kSteps = 1000;

struct Coefficients {
  std::vector<double> cosine;
  std::vector<double> sine;
};

// The published rule adds kSteps - 2 inner points, one less than a textbook trapezoid sum; the
// reference values are those of the published rule.
template <typename Function>
double integrate(const Function& f) {
  constexpr double kStep = (kTo - kFrom) / kSteps;
  double x = kFrom;
  double sum = f(x) / 2;
  for (int i = 0; i < kSteps - 2; ++i) {
    x += kStep;
    sum += f(x);
  }
  return (sum + f(kTo) / 2) * kStep;
}

double base(double x) {
  return std::pow(x + 1, x);
}

void fill(Coefficients& out, bench::Range range) {
  for (std::size_t n = range.begin; n < range.end; ++n) {
    if (n == 0) {
      out.cosine[0] = integrate(base) / 2;
      out.sine[0] = 0;
      continue;
    }
    const double omega = std::numbers::pi * static_cast<double>(n);
    out.cosine[n] = integrate([omega](double x) { return base(x) * std::cos(omega * x); });
    out.sine[n] = integrate([omega](double x) { return base(x) * std::sin(omega * x); });
  }
}

bool matches_reference(const Coefficients& c) {
  constexpr std::array<std::array<double, 2>, 4> kReference{
      {{2.8729524964837996, 0.0},
       {1.1161046676147888, -1.8819691893398025},
       {0.34429060398168704, -1.1645642623320958},
       {0.15238898702519288, -0.8143461113044298}}};
  for (std::size_t n = 0; n < kReference.size(); ++n) {
    if (std::abs(c.cosine[n] - kReference[n][0]) > 1e-12) return false;
    if (std::abs(c.sine[n] - kReference[n][1]) > 1e-12) return false;
  }
  return true;
}

bench::Result run(const bench::Options& options, bench::KernelTimer& timer) {
  const std::size_t pairs = kPairs[options.size];
  Coefficients coefficients{std::vector<double>(pairs), std::vector<double>(pairs)};

  timer.start();
  bench::run_team(options.threads, [&](int id) {
    fill(coefficients, bench::block_of(0, pairs, id, options.threads));
  });
  timer.stop();

  return {matches_reference(coefficients), bench::format("%zu coefficient pairs", pairs)};
}

}  // namespace

int main(int argc, char** argv) {
  return bench::program_main(argc, argv, "series", run);
}
