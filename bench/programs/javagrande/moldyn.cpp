// moldyn: 50 steps of N-body molecular dynamics with a Lennard-Jones potential and periodic
// boundaries (Java Grande, section 3).
//
// Particles are records of nine doubles in one array. Threads own blocks of particles for moving
// and scaling; for the forces they take particles in turn, pair each with all later ones, and add
// into force arrays of their own, which are then reduced. Three barriers a step.
//
// Valid if the final kinetic energy agrees with the published one (A, B; only these are published)
// and, at every size, if momentum is conserved and the reduced forces of sampled particles agree
// with a direct sum over all others. Summation order depends on the number of threads, hence
// tolerances.
#include <algorithm>
#include <array>
#include <barrier>
#include <cmath>
#include <optional>
#include <vector>

#include "bench/programs/common/program.h"
#include "bench/programs/common/team.h"

namespace {

// Unit cells along a side; each has four particles.
constexpr bench::BySize<int> kCells{5, 6, 8, 13, 18};
constexpr bench::BySize<std::optional<double>> kReferenceEnergy{
    std::nullopt, std::nullopt, 1731.4306625334357, 7397.392307839352, std::nullopt};
constexpr int kSteps = 50;
constexpr int kScaleEvery = 10;   // the temperature is reset at these steps ...
constexpr int kScaleBefore = 19;  // ... until this one
constexpr double kDensity = 0.83134;
constexpr double kTemperature = 0.722;
constexpr double kTimeStep = 0.064;
constexpr double kTimeStepSquared = kTimeStep * kTimeStep;

struct Vec {
  double x = 0, y = 0, z = 0;

  Vec& operator+=(const Vec& o) {
    x += o.x, y += o.y, z += o.z;
    return *this;
  }
  Vec& operator-=(const Vec& o) {
    x -= o.x, y -= o.y, z -= o.z;
    return *this;
  }
  Vec& operator*=(double s) {
    x *= s, y *= s, z *= s;
    return *this;
  }
};

Vec operator*(double s, Vec v) {
  return v *= s;
}
double square(const Vec& v) {
  return v.x * v.x + v.y * v.y + v.z * v.z;
}

struct Particle {
  Vec position, velocity, force;
};

struct Box {
  explicit Box(int cells)
      : cells(cells),
        particles(4 * static_cast<std::size_t>(cells) * cells * cells),
        side(std::pow(static_cast<double>(particles) / kDensity, 0.3333333)),
        cutoff_squared(cells / 4.0 * (cells / 4.0)),
        temperature_scale(16.0 / (static_cast<double>(particles) - 1)) {}

  int cells;
  std::size_t particles;
  double side;
  double cutoff_squared;
  double temperature_scale;  // temperature per kinetic energy
};

// The published generator: the minimal-standard multiplier in 15-bit halves, and polar pairs.
class PolarRandom {
 public:
  std::array<double, 2> next_pair() {
    double u, v, s;
    do {
      u = 2 * next_uniform() - 1;
      v = 2 * next_uniform() - 1;
      s = u * u + v * v;
    } while (s >= 1);
    const double scale = std::sqrt(-2 * std::log(s) / s);
    return {scale * u, scale * v};
  }

 private:
  double next_uniform() {
    constexpr int kMultiplier = 16807, kHalf = 32768;
    const int product = seed_ % kHalf * kMultiplier;
    const int low = product % kHalf;
    const int high = (seed_ / kHalf * kMultiplier + product / kHalf) % (2 * kHalf);
    seed_ = static_cast<int>((static_cast<long>(high) * kHalf + low) % 2147483647);
    return 4.656612875e-10 * seed_;
  }

  int seed_ = 1;
};

// A face-centred cubic lattice: cell corners and the centre of one face, then of the two others.
void place(std::vector<Particle>& particles, const Box& box) {
  constexpr std::array<Vec, 4> kOffsets{{{0, 0, 0}, {0.5, 0.5, 0}, {0.5, 0, 0.5}, {0, 0.5, 0.5}}};
  const double cell = box.side / box.cells;
  std::size_t next = 0;
  for (const Vec& offset : kOffsets) {
    for (int i = 0; i < box.cells; ++i) {
      for (int j = 0; j < box.cells; ++j) {
        for (int k = 0; k < box.cells; ++k) {
          particles[next++].position = {i * cell + offset.x * cell, j * cell + offset.y * cell,
                                        k * cell + offset.z * cell};
        }
      }
    }
  }
}

// Normally distributed velocities, made to have no mean and the reference temperature.
void heat(std::vector<Particle>& particles, const Box& box) {
  PolarRandom random;
  for (double Vec::*axis : {&Vec::x, &Vec::y, &Vec::z}) {
    for (std::size_t i = 0; i < particles.size(); i += 2) {
      const auto [first, second] = random.next_pair();
      particles[i].velocity.*axis = first;
      particles[i + 1].velocity.*axis = second;
    }
  }
  Vec mean;
  for (const Particle& p : particles) mean += p.velocity;
  mean = {mean.x / static_cast<double>(particles.size()),
          mean.y / static_cast<double>(particles.size()),
          mean.z / static_cast<double>(particles.size())};
  double energy = 0;
  for (Particle& p : particles) {
    p.velocity -= mean;
    energy += square(p.velocity);
  }
  const double scale = kTimeStep * std::sqrt(kTemperature / (box.temperature_scale * energy));
  for (Particle& p : particles) p.velocity *= scale;
}

double wrap(double coordinate, double side) {
  if (coordinate < 0) coordinate += side;
  if (coordinate > side) coordinate -= side;
  return coordinate;
}

void move(Particle& p, double side) {
  p.position = {wrap(p.position.x + p.velocity.x + p.force.x, side),
                wrap(p.position.y + p.velocity.y + p.force.y, side),
                wrap(p.position.z + p.velocity.z + p.force.z, side)};
  p.velocity += p.force;
}

inline double nearest_image(double distance, double side) {
  if (distance < -0.5 * side) distance += side;
  if (distance > 0.5 * side) distance -= side;
  return distance;
}

inline Vec separation(const Particle& a, const Particle& b, double side) {
  return {nearest_image(a.position.x - b.position.x, side),
          nearest_image(a.position.y - b.position.y, side),
          nearest_image(a.position.z - b.position.z, side)};
}

// The force is this factor times the separation.
inline double force_factor(double distance_squared) {
  const double r2 = 1 / distance_squared;
  const double r4 = r2 * r2;
  const double r8 = r4 * r4;
  return r8 * r4 * r2 - 0.5 * r8;
}

// Adds the forces between particle i and all later ones.
void add_forces(const std::vector<Particle>& particles, const Box& box, std::size_t i,
                std::vector<Vec>& forces) {
  const Particle& p = particles[i];
  Vec total;
  for (std::size_t j = i + 1; j < particles.size(); ++j) {
    const Vec d = separation(p, particles[j], box.side);
    const double distance_squared = square(d);
    if (distance_squared > box.cutoff_squared) continue;
    const Vec force = force_factor(distance_squared) * d;
    total += force;
    forces[j] -= force;
  }
  forces[i] += total;
}

class Simulation {
 public:
  Simulation(const Box& box, int threads)
      : box_(box),
        threads_(threads),
        particles_(box.particles),
        forces_(static_cast<std::size_t>(threads), std::vector<Vec>(box.particles)),
        partial_energy_(static_cast<std::size_t>(threads)),
        barrier_(threads) {
    place(particles_, box_);
    heat(particles_, box_);
  }

  void run() {
    bench::run_team(threads_, [this](int id) { run_thread(id); });
  }

  const std::vector<Particle>& particles() const { return particles_; }
  double energy() const { return energy_; }

 private:
  void run_thread(int id) {
    const auto own = bench::block_of(0, particles_.size(), id, threads_);
    for (int step = 0; step < kSteps; ++step) {
      for (std::size_t i = own.begin; i < own.end; ++i) move(particles_[i], box_.side);
      barrier_.arrive_and_wait();

      std::vector<Vec>& forces = forces_[static_cast<std::size_t>(id)];
      std::fill(forces.begin(), forces.end(), Vec{});
      for (auto i = static_cast<std::size_t>(id); i < particles_.size();
           i += static_cast<std::size_t>(threads_)) {
        add_forces(particles_, box_, i, forces);
      }
      barrier_.arrive_and_wait();

      partial_energy_[static_cast<std::size_t>(id)].value = reduce_forces(own);
      barrier_.arrive_and_wait();

      // Every thread adds the same numbers in the same order; from here to the next barrier each
      // touches its own particles only.
      double energy = 0;
      for (const auto& partial : partial_energy_) energy += partial.value;
      energy /= kTimeStepSquared;
      if (step < kScaleBefore && (step + 1) % kScaleEvery == 0)
        energy = reset_temperature(own, energy);
      if (id == 0) energy_ = 24 * energy;
    }
  }

  // Sums the threads' forces on the thread's own particles and finishes their velocities.
  double reduce_forces(bench::Range own) {
    double energy = 0;
    for (std::size_t i = own.begin; i < own.end; ++i) {
      Vec total;
      for (const auto& forces : forces_) total += forces[i];
      Particle& p = particles_[i];
      p.force = 0.5 * kTimeStepSquared * total;
      p.velocity += p.force;
      energy += square(p.velocity);
    }
    return energy;
  }

  double reset_temperature(bench::Range own, double energy) {
    const double scale = std::sqrt(kTemperature / (box_.temperature_scale * energy));
    for (std::size_t i = own.begin; i < own.end; ++i) particles_[i].velocity *= scale;
    return kTemperature / box_.temperature_scale;
  }

  const Box box_;
  const int threads_;
  std::vector<Particle> particles_;
  std::vector<std::vector<Vec>> forces_;  // per thread, then per particle
  std::vector<bench::Padded<double>> partial_energy_;
  std::barrier<> barrier_;
  double energy_ = 0;  // written by thread 0, read after the threads are joined
};

bool momentum_is_conserved(const std::vector<Particle>& particles) {
  Vec momentum;
  double size = 0;
  for (const Particle& p : particles) {
    momentum += p.velocity;
    size += std::sqrt(square(p.velocity));
  }
  return std::sqrt(square(momentum)) <= 1e-10 * size;
}

bool forces_are_right(const std::vector<Particle>& particles, const Box& box) {
  const std::size_t stride = std::max<std::size_t>(1, particles.size() / 32);
  for (std::size_t i = 0; i < particles.size(); i += stride) {
    Vec direct;
    double size = 0;
    for (std::size_t j = 0; j < particles.size(); ++j) {
      if (j == i) continue;
      const Vec d = separation(particles[i], particles[j], box.side);
      if (square(d) > box.cutoff_squared) continue;
      const Vec force = 0.5 * kTimeStepSquared * force_factor(square(d)) * d;
      direct += force;
      size += std::sqrt(square(force));
    }
    direct -= particles[i].force;
    if (std::sqrt(square(direct)) > 1e-12 * size) return false;
  }
  return true;
}

bench::Result run(const bench::Options& options, bench::KernelTimer& timer) {
  const Box box(kCells[options.size]);
  Simulation simulation(box, options.threads);

  timer.start();
  simulation.run();
  timer.stop();

  const auto& reference = kReferenceEnergy[options.size];
  const bool energy_is_right =
      !reference || std::abs(simulation.energy() / *reference - 1) <= 1e-11;
  const bool valid = energy_is_right && momentum_is_conserved(simulation.particles()) &&
                     forces_are_right(simulation.particles(), box);
  return {valid, bench::format("%zu particles, energy %.16g", box.particles, simulation.energy())};
}

}  // namespace

int main(int argc, char** argv) {
  return bench::program_main(argc, argv, "moldyn", run);
}
