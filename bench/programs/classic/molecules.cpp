// molecules: water as flexible three-point molecules, every molecule against every other (the shape
// of the n-squared water of SPLASH).
//
// Molecules are records of three atoms, atoms of a position with five derivatives and a force. A
// step predicts the derivatives from each other, finds the forces, and corrects the derivatives by
// what they were wrong (Gear's method). Threads own blocks of molecules. They pair each of theirs
// with the next half of all, add forces up in arrays of their own and then to the molecules', each
// under the lock of the molecule; energies are added under a global lock. Barriers stand before and
// after the pairs.
//
// Forces of pairs are shifted to end smoothly at the cutoff, so that energy is conserved. Valid if
// energy and momentum are, and if the forces on sampled molecules are those of a loop over all
// others. Sums depend on who comes first, hence tolerances.
//
// The racy variant leaves out the locks of molecules: threads that add to the same force race.
#include <algorithm>
#include <array>
#include <barrier>
#include <cmath>
#include <mutex>
#include <vector>

#include "bench/programs/common/mix.h"
#include "bench/programs/common/program.h"
#include "bench/programs/common/team.h"
#include "bench/programs/common/vec3.h"

namespace {

using Vec = bench::Vec3<double>;

struct Workload {
  std::size_t side;  // molecules along a side of the cube
  int steps;
};

constexpr bench::BySize<Workload> kWorkload{{4, 10}, {6, 80}, {8, 120}, {10, 160}, {12, 250}};
constexpr std::size_t kSamples = 8;

// Length in Angstrom, time in picoseconds, mass in atomic units, charge in that of the proton: the
// numbers are about those of flexible SPC water, with a spring between the hydrogens for the angle.
constexpr double kSpacing = 3.1;
constexpr double kTimeStep = 0.0001;
constexpr std::size_t kAtoms = 3;  // oxygen, hydrogen, hydrogen
constexpr std::array<double, kAtoms> kMass{15.9994, 1.008, 1.008};
constexpr std::array<double, kAtoms> kCharge{-0.82, 0.41, 0.41};
constexpr double kCoulomb = 138935.46;
constexpr double kWellDepth = 65.0, kDiameter = 3.166;  // between oxygens
constexpr double kBondLength = 1.0, kBondStiffness = 443100;
constexpr double kHydrogenDistance = 1.633, kHydrogenStiffness = 150000;
constexpr double kThermalEnergy = 249.4;  // of one degree of freedom, twice
constexpr double kReach = 1.25;           // no hydrogen gets farther from its oxygen
constexpr double kLargestCutoff = 6;

constexpr std::size_t kOrder = 5;
constexpr std::array<double, kOrder + 1> kCorrection{3.0 / 20,  251.0 / 360, 1,
                                                     11.0 / 18, 1.0 / 6,     1.0 / 60};

struct Atom {
  // The k-th derivative by time, times the k-th power of the time step, by k factorial. The first
  // element is the position.
  std::array<Vec, kOrder + 1> derivatives;
  Vec force;

  const Vec& position() const { return derivatives[0]; }
  Vec velocity() const { return 1 / kTimeStep * derivatives[1]; }
};

struct Molecule {
  std::array<Atom, kAtoms> atoms;
  std::mutex mutex;  // guards the forces while those of pairs are added
};

using Forces = std::array<Vec, kAtoms>;  // on one molecule

// The force is `force` times the distance vector.
struct Interaction {
  double energy = 0, force = 0;
};

// The interaction of two sorts of atoms.
struct Sorts {
  double charges = 0;  // their product
  bool are_oxygens = false;
  Interaction at_cutoff;
};

Interaction interaction_at(double distance_squared, const Sorts& sorts) {
  const double r2 = 1 / distance_squared;
  Interaction at;
  at.energy = kCoulomb * sorts.charges * std::sqrt(r2);
  at.force = at.energy * r2;
  if (sorts.are_oxygens) {
    const double s2 = kDiameter * kDiameter * r2;
    const double s6 = s2 * s2 * s2;
    at.energy += 4 * kWellDepth * (s6 * s6 - s6);
    at.force += 24 * kWellDepth * (2 * s6 * s6 - s6) * r2;
  }
  return at;
}

class Potential {
 public:
  explicit Potential(double side)
      : side_(side), cutoff_(std::min(kLargestCutoff, side / 2 - 2 * kReach)) {
    for (std::size_t i = 0; i < kAtoms; ++i) {
      for (std::size_t j = 0; j < kAtoms; ++j) {
        Sorts& sorts = sorts_[i][j];
        sorts.charges = kCharge[i] * kCharge[j];
        sorts.are_oxygens = i == 0 && j == 0;
        sorts.at_cutoff = interaction_at(cutoff_ * cutoff_, sorts);
      }
    }
  }

  // Adds the forces between two molecules to both; returns their energy.
  double add_pair(const Molecule& a, const Molecule& b, Forces& on_a, Forces& on_b) const {
    const Vec between = a.atoms[0].position() - b.atoms[0].position();
    const Vec image{image_shift(between.x), image_shift(between.y), image_shift(between.z)};
    const Vec nearest = between + image;
    const double farthest = cutoff_ + 2 * kReach;
    if (dot(nearest, nearest) > farthest * farthest) return 0;
    double energy = 0;
    for (std::size_t i = 0; i < kAtoms; ++i) {
      for (std::size_t j = 0; j < kAtoms; ++j) {
        const Vec distance = a.atoms[i].position() - b.atoms[j].position() + image;
        const double squared = dot(distance, distance);
        if (squared > cutoff_ * cutoff_) continue;
        const Interaction at = shifted_at(squared, sorts_[i][j]);
        energy += at.energy;
        on_a[i] += at.force * distance;
        on_b[j] -= at.force * distance;
      }
    }
    return energy;
  }

 private:
  double image_shift(double distance) const {
    if (distance > side_ / 2) return -side_;
    return distance < -side_ / 2 ? side_ : 0;
  }

  // Shifted so that energy and force are 0 at the cutoff.
  Interaction shifted_at(double distance_squared, const Sorts& sorts) const {
    const double distance = std::sqrt(distance_squared);
    const double end_force = sorts.at_cutoff.force * cutoff_;
    Interaction at = interaction_at(distance_squared, sorts);
    at.energy += (distance - cutoff_) * end_force - sorts.at_cutoff.energy;
    at.force -= end_force / distance;
    return at;
  }

  double side_, cutoff_;
  std::array<std::array<Sorts, kAtoms>, kAtoms> sorts_;
};

double add_spring(const Molecule& molecule, std::size_t i, std::size_t j, double rest,
                  double stiffness, Forces& forces) {
  const Vec distance = molecule.atoms[i].position() - molecule.atoms[j].position();
  const double stretch = length(distance) - rest;
  const Vec force = -stiffness * stretch / length(distance) * distance;
  forces[i] += force;
  forces[j] -= force;
  return 0.5 * stiffness * stretch * stretch;
}

// Adds the forces within a molecule; returns their energy.
double add_springs(const Molecule& molecule, Forces& forces) {
  return add_spring(molecule, 0, 1, kBondLength, kBondStiffness, forces) +
         add_spring(molecule, 0, 2, kBondLength, kBondStiffness, forces) +
         add_spring(molecule, 1, 2, kHydrogenDistance, kHydrogenStiffness, forces);
}

double kinetic_energy(const Molecule& molecule) {
  double energy = 0;
  for (std::size_t a = 0; a < kAtoms; ++a) {
    const Vec velocity = molecule.atoms[a].velocity();
    energy += 0.5 * kMass[a] * dot(velocity, velocity);
  }
  return energy;
}

// Taylor's series for all derivatives at once: repeated sums make the binomial coefficients.
void predict(Atom& atom) {
  for (std::size_t from = 0; from < kOrder; ++from) {
    for (std::size_t k = kOrder; k-- > from;) atom.derivatives[k] += atom.derivatives[k + 1];
  }
}

Vec scaled_acceleration(const Atom& atom, double mass) {
  return kTimeStep * kTimeStep / (2 * mass) * atom.force;
}

void correct(Atom& atom, double mass) {
  const Vec wrong = scaled_acceleration(atom, mass) - atom.derivatives[2];
  for (std::size_t k = 0; k <= kOrder; ++k) atom.derivatives[k] += kCorrection[k] * wrong;
}

Vec random_vector(bench::Random& random, double size) {
  return {size * (2 * random.unit() - 1), size * (2 * random.unit() - 1),
          size * (2 * random.unit() - 1)};
}

// The oxygens on a cubic lattice, the hydrogens at rest beside them in one of eight directions.
void place(std::vector<Molecule>& molecules, std::size_t side) {
  const double half = kHydrogenDistance / 2;
  const double height = std::sqrt(kBondLength * kBondLength - half * half);
  bench::Random random(molecules.size());
  for (std::size_t i = 0; i < molecules.size(); ++i) {
    const Vec oxygen{kSpacing * static_cast<double>(i % side),
                     kSpacing * static_cast<double>(i / side % side),
                     kSpacing * static_cast<double>(i / side / side)};
    const double up = random.below(2) == 0 ? height : -height;
    const bool turned = random.below(2) == 0;
    auto& atoms = molecules[i].atoms;
    atoms[0].derivatives[0] = oxygen;
    atoms[1].derivatives[0] = oxygen + (turned ? Vec{half, 0, up} : Vec{up, half, 0});
    atoms[2].derivatives[0] = oxygen + (turned ? Vec{-half, 0, up} : Vec{up, -half, 0});
    for (std::size_t a = 0; a < kAtoms; ++a) {
      atoms[a].derivatives[1] =
          random_vector(random, kTimeStep * std::sqrt(3 * kThermalEnergy / kMass[a]));
    }
  }
}

Vec momentum_of(const std::vector<Molecule>& molecules) {
  Vec momentum;
  for (const Molecule& molecule : molecules) {
    for (std::size_t a = 0; a < kAtoms; ++a) {
      momentum += kMass[a] * molecule.atoms[a].velocity();
    }
  }
  return momentum;
}

class Simulation {
 public:
  Simulation(const Workload& workload, int threads)
      : steps_(workload.steps),
        threads_(threads),
        potential_(static_cast<double>(workload.side) * kSpacing),
        molecules_(workload.side * workload.side * workload.side),
        pair_forces_(static_cast<std::size_t>(threads), std::vector<Forces>(molecules_.size())),
        energies_(static_cast<std::size_t>(workload.steps) + 2),
        barrier_(threads) {
    place(molecules_, workload.side);
  }

  void run() {
    bench::run_team(threads_, [this](int id) { run_thread(id); });
  }

  const std::vector<Molecule>& molecules() const { return molecules_; }
  const Potential& potential() const { return potential_; }
  double first_energy() const { return energies_.front(); }
  double last_energy() const { return energies_.back(); }

 private:
  void run_thread(int id) {
    const auto own = bench::block_of(0, molecules_.size(), id, threads_);
    find_forces(own, id, energies_.front());
    for_atoms(own, [](Atom& atom, double mass) {
      atom.derivatives[2] = scaled_acceleration(atom, mass);
    });
    for (std::size_t step = 1; step <= static_cast<std::size_t>(steps_); ++step) {
      for_atoms(own, [](Atom& atom, double) { predict(atom); });
      find_forces(own, id, energies_[step]);
      for_atoms(own, correct);
    }
    find_forces(own, id, energies_.back());  // where the last correction put the atoms
  }

  template <typename Body>
  void for_atoms(bench::Range own, const Body& body) {
    for (std::size_t i = own.begin; i < own.end; ++i) {
      for (std::size_t a = 0; a < kAtoms; ++a) body(molecules_[i].atoms[a], kMass[a]);
    }
  }

  // Adds the energy of molecules and forces to `total`.
  void find_forces(bench::Range own, int id, double& total) {
    double energy = 0;
    for (std::size_t i = own.begin; i < own.end; ++i) {
      Forces forces{};
      energy += kinetic_energy(molecules_[i]) + add_springs(molecules_[i], forces);
      for (std::size_t a = 0; a < kAtoms; ++a) molecules_[i].atoms[a].force = forces[a];
    }
    barrier_.arrive_and_wait();
    std::vector<Forces>& forces = pair_forces_[static_cast<std::size_t>(id)];
    std::fill(forces.begin(), forces.end(), Forces{});
    energy += add_pairs(own, forces);
    share_forces(own, forces);
    {
      const std::scoped_lock lock(energy_mutex_);
      total += energy;
    }
    barrier_.arrive_and_wait();
  }

  // Of two molecules half of all apart, the first takes the pair.
  double add_pairs(bench::Range own, std::vector<Forces>& forces) const {
    const std::size_t count = molecules_.size();
    double energy = 0;
    for (std::size_t i = own.begin; i < own.end; ++i) {
      const std::size_t partners = (count - 1) / 2 + (count % 2 == 0 && i < count / 2 ? 1 : 0);
      for (std::size_t step = 1; step <= partners; ++step) {
        const std::size_t j = i + step < count ? i + step : i + step - count;
        energy += potential_.add_pair(molecules_[i], molecules_[j], forces[i], forces[j]);
      }
    }
    return energy;
  }

  // Adds what the thread found to the molecules that it has pairs of.
  void share_forces(bench::Range own, const std::vector<Forces>& forces) {
    const std::size_t count = molecules_.size();
    if (own.begin == own.end) return;
    const std::size_t touched = std::min(count, own.end - own.begin + count / 2);
    for (std::size_t step = 0; step < touched; ++step) {
      const std::size_t i = (own.begin + step) % count;
      Molecule& molecule = molecules_[i];
      std::unique_lock lock(molecule.mutex, std::defer_lock);
      if constexpr (!bench::kRacy) lock.lock();
      for (std::size_t a = 0; a < kAtoms; ++a) molecule.atoms[a].force += forces[i][a];
    }
  }

  const int steps_;
  const int threads_;
  const Potential potential_;
  std::vector<Molecule> molecules_;
  std::vector<std::vector<Forces>> pair_forces_;  // per thread, then per molecule
  std::mutex energy_mutex_;
  std::vector<double> energies_;  // of each evaluation of forces; guarded by energy_mutex_
  std::barrier<> barrier_;
};

// The error of the forces on sampled molecules, relative to their size.
double force_error(const std::vector<Molecule>& molecules, const Potential& potential) {
  double error = 0, size = 0;
  for (std::size_t sample = 0; sample < kSamples; ++sample) {
    const std::size_t i = sample * molecules.size() / kSamples;
    Forces direct{}, ignored{};
    add_springs(molecules[i], direct);
    for (std::size_t j = 0; j < molecules.size(); ++j) {
      if (j != i) potential.add_pair(molecules[i], molecules[j], direct, ignored);
    }
    for (std::size_t a = 0; a < kAtoms; ++a) {
      error += length(direct[a] - molecules[i].atoms[a].force);
      size += length(direct[a]);
    }
  }
  return error / size;
}

bench::Result run(const bench::Options& options, bench::KernelTimer& timer) {
  Simulation simulation(kWorkload[options.size], options.threads);
  const auto& molecules = simulation.molecules();
  const Vec momentum = momentum_of(molecules);

  timer.start();
  simulation.run();
  timer.stop();

  const double count = static_cast<double>(molecules.size());
  // Of the thermal energy. The derivatives above the second start at 0, which costs 1e-3 of it.
  const double drift =
      std::abs(simulation.last_energy() - simulation.first_energy()) / (count * kThermalEnergy);
  const double of_force = force_error(molecules, simulation.potential());
  const bool valid = length(momentum_of(molecules) - momentum) <= 1e-8 * count &&
                     of_force <= 1e-10 && drift <= 5e-3;
  return {valid,
          bench::format("%zu molecules, energy %.8g, drift %.2g, force error %.2g",
                        molecules.size(), simulation.last_energy(), drift, of_force),
          bench::kByOrderOfThreads};
}

}  // namespace

int main(int argc, char** argv) {
  return bench::program_main(argc, argv, "molecules", run);
}
