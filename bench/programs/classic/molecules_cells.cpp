// molecules_cells: molecular dynamics of water-like molecules in a grid of cells. In the spirit of
// water-spatial of the SPLASH suite.
//
// A molecule is three charged sites held together by springs; the first site also repels its like.
// Forces end at a distance shorter than a cell, so that a molecule meets only those of the 27 cells
// around it. A cell is a linked list of molecules; threads own blocks of cells. A molecule that has
// left its cell is unlinked under the lock of the old cell and linked in under the lock of the new
// one; a barrier stands between moving, changing cells and computing forces. Each pair is computed
// from both ends, so that a thread adds forces to the molecules of its own cells only.
//
// The order of a list depends on who came first, and so do the last bits of the sums. Valid if each
// molecule is in one cell, the right one; some have changed cells; energy and momentum are
// conserved; and the forces on sampled molecules agree with a sum over all others.
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
  int side;  // of the grid, in cells; at least 3, or neighbours would be counted twice
  int steps;
};

constexpr bench::BySize<Workload> kWorkload{{3, 3}, {4, 14}, {6, 24}, {8, 40}, {12, 48}};

// The cell is the unit of length, the depth of the potential that of energy, the site that of mass.
constexpr double kTimeStep = 0.0005;
constexpr double kCutoff = 0.75;  // of the forces between sites
constexpr double kReach = 0.12;   // no site is farther from the first one of its molecule
constexpr double kDiameter = 0.3;
constexpr double kBond = 0.08;
constexpr double kStiffness = 5000;
constexpr double kSpeed = 1.5;
constexpr std::array<double, 3> kCharge{-0.4, 0.2, 0.2};
constexpr std::array<int, 3> kPerCell{2, 2, 3};  // molecules of the first lattice along each axis

static_assert(kCutoff + 2 * kReach <= 1, "forces would cross more than one cell");

struct Molecule {
  std::array<Vec, 3> position, velocity, force;
  Molecule* next = nullptr;  // in the list of its cell
};

struct Cell {
  std::mutex mutex;
  Molecule* first = nullptr;  // guarded by mutex while molecules change cells
};

struct PairTerm {
  double energy = 0;
  double factor = 0;  // the force is this times the separation
};

// A potential shifted so that it and its force end at the cutoff.
PairTerm charge_term(double product, double distance) {
  constexpr double kSlope = 1 / (kCutoff * kCutoff);
  return {product * (1 / distance - 1 / kCutoff + (distance - kCutoff) * kSlope),
          product * (1 / (distance * distance) - kSlope) / distance};
}

constexpr double repulsion(double distance) {
  const double s = kDiameter / distance, s3 = s * s * s, s6 = s3 * s3;
  return s6 * s6 - s6;
}

constexpr double repulsion_slope(double distance) {
  const double s = kDiameter / distance, s3 = s * s * s, s6 = s3 * s3;
  return (6 * s6 - 12 * s6 * s6) / distance;
}

PairTerm core_term(double distance) {
  constexpr double kEnd = repulsion(kCutoff), kEndSlope = repulsion_slope(kCutoff);
  return {repulsion(distance) - kEnd - (distance - kCutoff) * kEndSlope,
          (kEndSlope - repulsion_slope(distance)) / distance};
}

double nearest_image(double distance, double side) {
  return distance - side * std::nearbyint(distance / side);
}

// Adds the forces that `other` exerts on `molecule`; returns the energy of the pair.
double add_pair(std::array<Vec, 3>& force, const Molecule& molecule, const Molecule& other,
                double side) {
  const Vec apart = molecule.position[0] - other.position[0];
  const Vec nearest{nearest_image(apart.x, side), nearest_image(apart.y, side),
                    nearest_image(apart.z, side)};
  constexpr double kFar = kCutoff + 2 * kReach;
  if (square(nearest) > kFar * kFar) return 0;
  const Vec image = nearest - apart;
  double energy = 0;
  for (std::size_t a = 0; a < 3; ++a) {
    for (std::size_t b = 0; b < 3; ++b) {
      const Vec d = molecule.position[a] - other.position[b] + image;
      const double distance_squared = square(d);
      if (distance_squared >= kCutoff * kCutoff) continue;
      const double distance = std::sqrt(distance_squared);
      PairTerm term = charge_term(kCharge[a] * kCharge[b], distance);
      if (a == 0 && b == 0) {
        const PairTerm core = core_term(distance);
        term.energy += core.energy;
        term.factor += core.factor;
      }
      energy += term.energy;
      force[a] += term.factor * d;
    }
  }
  return energy;
}

// Springs between each two of the three sites.
double add_springs(std::array<Vec, 3>& force, const Molecule& molecule) {
  double energy = 0;
  for (std::size_t a = 0; a < 3; ++a) {
    const std::size_t b = (a + 1) % 3;
    const Vec d = molecule.position[a] - molecule.position[b];
    const double distance = length(d), stretch = distance - kBond;
    const Vec pull = (kStiffness * stretch / distance) * d;
    energy += 0.5 * kStiffness * stretch * stretch;
    force[a] -= pull;
    force[b] += pull;
  }
  return energy;
}

class Box {
 public:
  explicit Box(int side) : side_(side), molecules_(cell_count() * 12), cells_(cell_count()) {
    place();
    for (Molecule& molecule : molecules_) link(molecule);
  }

  void run(int steps, int threads);

  bool every_molecule_is_in_its_cell() const;
  bool momentum_is_conserved() const;
  bool forces_are_right() const;
  bool energy_is_conserved() const {
    return std::abs(last_energy_ - first_energy_) <= 1e-3 * std::abs(first_kinetic_energy_);
  }
  std::size_t size() const { return molecules_.size(); }
  std::size_t changed_cells() const { return changed_cells_; }
  double energy() const { return last_energy_; }

 private:
  struct Tally {
    double kinetic = 0, potential = 0;
    std::size_t changed_cells = 0;
  };

  std::size_t cell_count() const {
    return static_cast<std::size_t>(side_) * static_cast<std::size_t>(side_) *
           static_cast<std::size_t>(side_);
  }
  std::size_t cell_index(int x, int y, int z) const {
    const auto wrap = [this](int i) { return (i + side_) % side_; };
    return static_cast<std::size_t>((wrap(z) * side_ + wrap(y)) * side_ + wrap(x));
  }
  std::size_t home(const Molecule& molecule) const {
    const Vec& p = molecule.position[0];
    return cell_index(static_cast<int>(p.x), static_cast<int>(p.y), static_cast<int>(p.z));
  }

  void place();
  void link(Molecule& molecule);
  void run_thread(int id, int threads, int steps, std::barrier<>& barrier,
                  std::vector<bench::Padded<Tally>>& tallies);
  void advance(Cell& cell);
  void wrap(Molecule& molecule) const;
  std::size_t send_leavers(std::size_t index);
  double compute_forces(std::size_t index);
  double finish_velocities(Cell& cell);
  void note_energy(std::vector<bench::Padded<Tally>>& tallies, bool is_first);

  const int side_;
  std::vector<Molecule> molecules_;
  std::vector<Cell> cells_;
  double first_energy_ = 0, first_kinetic_energy_ = 0, last_energy_ = 0;
  std::size_t changed_cells_ = 0;
};

// A lattice shaken a little, at rest as a whole.
void Box::place() {
  bench::Random random(1);
  const auto around_zero = [&random] { return random.unit() - 0.5; };
  std::size_t next = 0;
  for (int z = 0; z < side_ * kPerCell[2]; ++z) {
    for (int y = 0; y < side_ * kPerCell[1]; ++y) {
      for (int x = 0; x < side_ * kPerCell[0]; ++x) {
        Molecule& molecule = molecules_[next++];
        const Vec first{static_cast<double>(x) / kPerCell[0] + 0.02 * random.unit(),
                        static_cast<double>(y) / kPerCell[1] + 0.02 * random.unit(),
                        static_cast<double>(z) / kPerCell[2] + 0.02 * random.unit()};
        const double height = kBond * std::sqrt(0.75);
        molecule.position = {first, first + Vec{kBond / 2, height, 0},
                             first + Vec{-kBond / 2, height, 0}};
        molecule.velocity.fill(2 * kSpeed * Vec{around_zero(), around_zero(), around_zero()});
      }
    }
  }
  Vec mean;
  for (const Molecule& molecule : molecules_) mean += molecule.velocity[0];
  mean *= 1 / static_cast<double>(molecules_.size());
  for (Molecule& molecule : molecules_) {
    for (Vec& velocity : molecule.velocity) velocity -= mean;
  }
}

void Box::link(Molecule& molecule) {
  Cell& cell = cells_[home(molecule)];
  std::lock_guard lock(cell.mutex);
  molecule.next = cell.first;
  cell.first = &molecule;
}

void Box::run(int steps, int threads) {
  std::barrier barrier(threads);
  std::vector<bench::Padded<Tally>> tallies(static_cast<std::size_t>(threads));
  bench::run_team(threads, [&](int id) { run_thread(id, threads, steps, barrier, tallies); });
}

void Box::run_thread(int id, int threads, int steps, std::barrier<>& barrier,
                     std::vector<bench::Padded<Tally>>& tallies) {
  const auto own = bench::block_of(0, cells_.size(), id, threads);
  Tally& tally = tallies[static_cast<std::size_t>(id)].value;
  for (std::size_t i = own.begin; i < own.end; ++i) tally.potential += compute_forces(i);
  for (std::size_t i = own.begin; i < own.end; ++i) tally.kinetic += finish_velocities(cells_[i]);
  barrier.arrive_and_wait();
  if (id == 0) note_energy(tallies, true);
  barrier.arrive_and_wait();

  for (int step = 0; step < steps; ++step) {
    for (std::size_t i = own.begin; i < own.end; ++i) advance(cells_[i]);
    barrier.arrive_and_wait();
    for (std::size_t i = own.begin; i < own.end; ++i) tally.changed_cells += send_leavers(i);
    barrier.arrive_and_wait();
    tally.potential = tally.kinetic = 0;
    for (std::size_t i = own.begin; i < own.end; ++i) tally.potential += compute_forces(i);
    for (std::size_t i = own.begin; i < own.end; ++i) tally.kinetic += finish_velocities(cells_[i]);
    barrier.arrive_and_wait();
  }
  if (id == 0) note_energy(tallies, false);
}

// Half a step of force and a whole one of motion.
void Box::advance(Cell& cell) {
  for (Molecule* molecule = cell.first; molecule != nullptr; molecule = molecule->next) {
    for (std::size_t site = 0; site < 3; ++site) {
      molecule->velocity[site] += (0.5 * kTimeStep) * molecule->force[site];
      molecule->position[site] += kTimeStep * molecule->velocity[site];
    }
    wrap(*molecule);
  }
}

// Brings the first site into the box; the others stay beside it, maybe outside.
void Box::wrap(Molecule& molecule) const {
  const double side = side_;
  const auto shift = [side](double x) { return x < 0 ? side : x >= side ? -side : 0; };
  const Vec& p = molecule.position[0];
  const Vec by{shift(p.x), shift(p.y), shift(p.z)};
  for (Vec& position : molecule.position) position += by;
}

// Molecules that came in before are in the right cell: it does not matter whether they are seen.
std::size_t Box::send_leavers(std::size_t index) {
  Molecule* leavers = nullptr;
  {
    std::lock_guard lock(cells_[index].mutex);
    for (Molecule** place = &cells_[index].first; *place != nullptr;) {
      Molecule* molecule = *place;
      if (home(*molecule) == index) {
        place = &molecule->next;
        continue;
      }
      *place = molecule->next;
      molecule->next = leavers;
      leavers = molecule;
    }
  }
  std::size_t count = 0;
  while (leavers != nullptr) {
    Molecule* molecule = leavers;
    leavers = molecule->next;
    link(*molecule);
    ++count;
  }
  return count;
}

// The forces on the molecules of a cell; returns their potential energy, of pairs one half.
double Box::compute_forces(std::size_t index) {
  const int cell = static_cast<int>(index);
  const int x = cell % side_, y = cell / side_ % side_, z = cell / side_ / side_;
  double energy = 0;
  for (Molecule* molecule = cells_[index].first; molecule != nullptr; molecule = molecule->next) {
    std::array<Vec, 3> force{};
    energy += add_springs(force, *molecule);
    for (int near = 0; near < 27; ++near) {
      const std::size_t around =
          cell_index(x + near % 3 - 1, y + near / 3 % 3 - 1, z + near / 9 - 1);
      for (const Molecule* other = cells_[around].first; other != nullptr; other = other->next) {
        if (other != molecule) energy += 0.5 * add_pair(force, *molecule, *other, side_);
      }
    }
    molecule->force = force;
  }
  return energy;
}

// The other half of the step's force; returns the kinetic energy.
double Box::finish_velocities(Cell& cell) {
  double energy = 0;
  for (Molecule* molecule = cell.first; molecule != nullptr; molecule = molecule->next) {
    for (std::size_t site = 0; site < 3; ++site) {
      molecule->velocity[site] += (0.5 * kTimeStep) * molecule->force[site];
      energy += 0.5 * square(molecule->velocity[site]);
    }
  }
  return energy;
}

void Box::note_energy(std::vector<bench::Padded<Tally>>& tallies, bool is_first) {
  Tally sum;
  for (const auto& [tally] : tallies) {
    sum.kinetic += tally.kinetic;
    sum.potential += tally.potential;
    sum.changed_cells += tally.changed_cells;
  }
  last_energy_ = sum.kinetic + sum.potential;
  changed_cells_ = sum.changed_cells;
  if (is_first) {
    first_energy_ = last_energy_;
    first_kinetic_energy_ = sum.kinetic;
  }
}

bool Box::every_molecule_is_in_its_cell() const {
  std::vector<int> seen(molecules_.size());
  for (std::size_t index = 0; index < cells_.size(); ++index) {
    for (const Molecule* molecule = cells_[index].first; molecule != nullptr;
         molecule = molecule->next) {
      if (home(*molecule) != index) return false;
      if (++seen[static_cast<std::size_t>(molecule - molecules_.data())] != 1) return false;
    }
  }
  return std::all_of(seen.begin(), seen.end(), [](int times) { return times == 1; });
}

bool Box::momentum_is_conserved() const {
  Vec momentum;
  double size = 0;
  for (const Molecule& molecule : molecules_) {
    for (const Vec& velocity : molecule.velocity) {
      momentum += velocity;
      size += length(velocity);
    }
  }
  return length(momentum) <= 1e-10 * size;
}

bool Box::forces_are_right() const {
  const std::size_t stride = std::max<std::size_t>(1, molecules_.size() / 32);
  for (std::size_t i = 0; i < molecules_.size(); i += stride) {
    std::array<Vec, 3> force{};
    add_springs(force, molecules_[i]);
    for (const Molecule& other : molecules_) {
      if (&other != &molecules_[i]) add_pair(force, molecules_[i], other, side_);
    }
    for (std::size_t site = 0; site < 3; ++site) {
      const double error = length(force[site] - molecules_[i].force[site]);
      if (!(error <= 1e-8 * (1 + length(force[site])))) return false;
    }
  }
  return true;
}

bench::Result run(const bench::Options& options, bench::KernelTimer& timer) {
  const Workload& workload = kWorkload[options.size];
  Box box(workload.side);

  timer.start();
  box.run(workload.steps, options.threads);
  timer.stop();

  const bool valid = box.every_molecule_is_in_its_cell() && box.changed_cells() > 0 &&
                     box.energy_is_conserved() && box.momentum_is_conserved() &&
                     box.forces_are_right();
  return {valid,
          bench::format("%zu molecules, %zu changes of cell, energy %.8g", box.size(),
                        box.changed_cells(), box.energy()),
          bench::kByOrderOfThreads};
}

}  // namespace

int main(int argc, char** argv) {
  return bench::program_main(argc, argv, "molecules_cells", run);
}
