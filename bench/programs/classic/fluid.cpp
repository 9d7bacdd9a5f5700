// fluid: a dam of liquid breaks, by smoothed-particle hydrodynamics in a grid of cells (Müller,
// Charypar and Gross, "Particle-based fluid simulation for interactive applications", 2003). In the
// spirit of fluidanimate of the PARSEC suite.
//
// A cell holds sixteen particles in arrays of its own, and more in blocks linked to it. Threads own
// blocks of cells, in two grids: at each frame the particles, moved, are put from one grid into the
// other, under the lock of the cell they come to. Forces reach as far as a cell is wide. Each pair
// of cells is visited once, by the owner of the first, who adds densities, and later accelerations,
// to the particles of both; cells that touch those of another thread are written under their lock.
// A barrier stands between moving, filling the grid, densities and accelerations.
//
// The order of the sums depends on the schedule, hence tolerances. Valid if no particle is lost or
// in a wrong cell, the accelerations add up to nothing, and those of sampled particles agree, as do
// the densities, with sums over all others.
//
// The racy variant leaves out the lock under which sums are added.
#include <algorithm>
#include <array>
#include <barrier>
#include <cmath>
#include <memory>
#include <mutex>
#include <numbers>
#include <utility>
#include <vector>

#include "bench/programs/common/mix.h"
#include "bench/programs/common/program.h"
#include "bench/programs/common/team.h"
#include "bench/programs/common/vec3.h"

namespace {

using Vec = bench::Vec3<float>;

struct Workload {
  int side;  // of the grid, in cells
  int frames;
};

constexpr bench::BySize<Workload> kWorkload{{4, 8}, {8, 26}, {12, 44}, {16, 70}, {24, 80}};

// The cell, which is as wide as forces reach, is the unit of length, the density at rest is one.
constexpr float kSpacing = 1 / 2.3f;  // of the particles at first
constexpr float kMass = kSpacing * kSpacing * kSpacing;
constexpr float kStiffness = 200;
constexpr float kViscosity = 0.1f;
constexpr float kGravity = -4;
constexpr float kTimeStep = 0.004f;
constexpr float kWallStiffness = 2000, kWallDamping = 20, kWallWidth = 0.1f;
constexpr float kPi = std::numbers::pi_v<float>;

struct Particle {
  Vec position, velocity;
};

struct Block {
  static constexpr std::size_t kCapacity = 16;

  std::array<Vec, kCapacity> position, velocity, acceleration;
  std::array<float, kCapacity> density;
  std::unique_ptr<Block> next;  // stays when the cell is emptied
};

struct Cell {
  std::mutex mutex;
  std::size_t particles = 0;
  Block first;
  bool is_border = false;  // has neighbours that belong to another thread

  // REQUIRES: mutex is held.
  void add(const Particle& particle) {
    Block* block = &first;
    for (std::size_t n = particles / Block::kCapacity; n > 0; --n) {
      if (!block->next) block->next = std::make_unique<Block>();
      block = block->next.get();
    }
    const std::size_t i = particles++ % Block::kCapacity;
    block->position[i] = particle.position;
    block->velocity[i] = particle.velocity;
  }

  // Calls visit(block, place in the block, place in the cell) for each particle.
  template <typename Visit>
  void for_each(const Visit& visit) {
    Block* block = &first;
    for (std::size_t n = 0; n < particles; ++n) {
      if (n > 0 && n % Block::kCapacity == 0) block = block->next.get();
      visit(*block, n % Block::kCapacity, n);
    }
  }
};

// The smoothing kernel of densities, of a square distance.
float kernel(float distance_squared) {
  const float rest = 1 - distance_squared;
  return 315 / (64 * kPi) * rest * rest * rest;
}

float pressure(float density) {
  return kStiffness * std::max(density - 1, 0.0f);
}

// What is summed over pairs of particles: what the second adds to the first, and what, given that,
// the first adds to the second.
struct Density {
  using Sum = float;

  static float between(const Block& a, std::size_t i, const Block& b, std::size_t j) {
    return kernel(square(a.position[i] - b.position[j]));
  }
  static float in_return(float density) { return density; }
  static void add(Block& block, std::size_t i, float sum) { block.density[i] += sum; }
};

struct Acceleration {
  using Sum = Vec;

  static Vec between(const Block& a, std::size_t i, const Block& b, std::size_t j) {
    const Vec apart = a.position[i] - b.position[j];
    const float distance = std::max(length(apart), 1e-6f), rest = 1 - distance;
    const float scale = 45 / kPi * kMass * rest / (a.density[i] * b.density[j]);
    const float push = 0.5f * (pressure(a.density[i]) + pressure(b.density[j])) * rest / distance;
    return (scale * push) * apart - (scale * kViscosity) * (a.velocity[i] - b.velocity[j]);
  }
  static Vec in_return(const Vec& acceleration) { return -1.0f * acceleration; }
  static void add(Block& block, std::size_t i, const Vec& sum) { block.acceleration[i] += sum; }
};

bool are_near(const Block& a, std::size_t i, const Block& b, std::size_t j) {
  return square(a.position[i] - b.position[j]) < 1;
}

class Tank {
 public:
  Tank(int side, int threads)
      : side_(side), threads_(threads), grids_{Grid(cell_count()), Grid(cell_count())} {
    for (Grid& grid : grids_) mark_borders(grid);
    fill();
  }

  void run(int frames);

  std::size_t size() const { return particles_; }
  std::size_t in_overflow_blocks();
  bool nothing_is_lost();
  bool accelerations_add_up_to_nothing();
  bool samples_agree();

 private:
  using Grid = std::vector<Cell>;

  // Sums for the particles of a cell and of one around it, before they are added to them.
  template <typename Quantity>
  struct Sums {
    std::vector<typename Quantity::Sum> here, there;
  };

  std::size_t cell_count() const { return static_cast<std::size_t>(side_) * side_ * side_; }
  // Slices along y come first, because the dam has all of it: threads get as much each.
  std::size_t index(int x, int y, int z) const {
    return static_cast<std::size_t>((y * side_ + z) * side_ + x);
  }
  std::size_t home(const Vec& position) const {
    return index(static_cast<int>(position.x), static_cast<int>(position.y),
                 static_cast<int>(position.z));
  }
  bench::Range own_cells(int id) const { return bench::block_of(0, cell_count(), id, threads_); }

  // Calls visit(index) for the cells around one, itself left out.
  template <typename Visit>
  void for_neighbours(std::size_t cell, const Visit& visit) const;
  void mark_borders(Grid& grid) const;
  void fill();

  void run_thread(int id, int frames, std::barrier<>& barrier);
  void compute(int id, std::barrier<>& barrier);
  void advance(Cell& cell) const;
  template <typename Quantity>
  void sum_pairs(bench::Range cells);
  template <typename Quantity>
  void sum_pairs_of(std::size_t cell, Sums<Quantity>& sums);

  Grid& now() { return grids_[0]; }

  const int side_;
  const int threads_;
  std::array<Grid, 2> grids_;  // the one in use, the one to be filled next
  std::size_t particles_ = 0;
};

template <typename Visit>
void Tank::for_neighbours(std::size_t cell, const Visit& visit) const {
  const int at = static_cast<int>(cell);
  const int x = at % side_, z = at / side_ % side_, y = at / side_ / side_;
  for (int v = std::max(y - 1, 0); v <= std::min(y + 1, side_ - 1); ++v) {
    for (int w = std::max(z - 1, 0); w <= std::min(z + 1, side_ - 1); ++w) {
      for (int u = std::max(x - 1, 0); u <= std::min(x + 1, side_ - 1); ++u) {
        if (index(u, v, w) != cell) visit(index(u, v, w));
      }
    }
  }
}

void Tank::mark_borders(Grid& grid) const {
  for (int id = 0; id < threads_; ++id) {
    const auto own = own_cells(id);
    for (std::size_t cell = own.begin; cell < own.end; ++cell) {
      for_neighbours(cell, [&](std::size_t other) {
        if (other < own.begin || other >= own.end) grid[cell].is_border = true;
      });
    }
  }
}

// Half of the tank along x, three quarters of its height, shaken a little.
void Tank::fill() {
  bench::Random random(5);
  const auto place = [&random](int n) {
    return (static_cast<float>(n) + 0.4f + 0.2f * static_cast<float>(random.unit())) * kSpacing;
  };
  const auto across = static_cast<int>(static_cast<float>(side_) / kSpacing);
  for (int x = 0; x < across / 2; ++x) {
    for (int y = 0; y < across; ++y) {
      for (int z = 0; z < across * 3 / 4; ++z) {
        const Particle particle{{place(x), place(y), place(z)}, {}};
        now()[home(particle.position)].add(particle);
        ++particles_;
      }
    }
  }
}

void Tank::run(int frames) {
  std::barrier barrier(threads_);
  bench::run_team(threads_, [&](int id) { run_thread(id, frames, barrier); });
}

void Tank::run_thread(int id, int frames, std::barrier<>& barrier) {
  const auto own = own_cells(id);
  compute(id, barrier);
  for (int frame = 0; frame < frames; ++frame) {
    for (std::size_t cell = own.begin; cell < own.end; ++cell) {
      advance(grids_[0][cell]);
      grids_[1][cell].particles = 0;
    }
    barrier.arrive_and_wait();
    for (std::size_t cell = own.begin; cell < own.end; ++cell) {
      grids_[0][cell].for_each([&](const Block& block, std::size_t i, std::size_t) {
        Cell& target = grids_[1][home(block.position[i])];
        std::lock_guard lock(target.mutex);
        target.add({block.position[i], block.velocity[i]});
      });
    }
    barrier.arrive_and_wait();
    if (id == 0) std::swap(grids_[0], grids_[1]);
    barrier.arrive_and_wait();
    compute(id, barrier);
  }
}

void Tank::compute(int id, std::barrier<>& barrier) {
  const auto own = own_cells(id);
  for (std::size_t cell = own.begin; cell < own.end; ++cell) {
    now()[cell].for_each([](Block& block, std::size_t i, std::size_t) {
      block.density[i] = 0;
      block.acceleration[i] = {};
    });
  }
  barrier.arrive_and_wait();
  sum_pairs<Density>(own);
  barrier.arrive_and_wait();
  for (std::size_t cell = own.begin; cell < own.end; ++cell) {
    now()[cell].for_each([](Block& block, std::size_t i, std::size_t) {
      block.density[i] = kMass * (block.density[i] + kernel(0));  // a particle counts itself
    });
  }
  barrier.arrive_and_wait();
  sum_pairs<Acceleration>(own);
  barrier.arrive_and_wait();
}

// Gravity and walls, which push back and slow down, come on top of what particles do to each other.
void Tank::advance(Cell& cell) const {
  const float end = static_cast<float>(side_);
  const auto from_wall = [end](float position, float velocity) {
    const float into_low = kWallWidth - position, into_high = position - (end - kWallWidth);
    if (into_low > 0) return kWallStiffness * into_low - kWallDamping * velocity;
    if (into_high > 0) return -kWallStiffness * into_high - kWallDamping * velocity;
    return 0.0f;
  };
  const auto keep_inside = [end](float position) {
    return std::clamp(position, 0.0f, end - 1e-3f);
  };
  cell.for_each([&](Block& block, std::size_t i, std::size_t) {
    Vec& position = block.position[i];
    Vec& velocity = block.velocity[i];
    const Vec outer{from_wall(position.x, velocity.x), from_wall(position.y, velocity.y),
                    from_wall(position.z, velocity.z) + kGravity};
    velocity += kTimeStep * (block.acceleration[i] + outer);
    position += kTimeStep * velocity;
    position = {keep_inside(position.x), keep_inside(position.y), keep_inside(position.z)};
  });
}

template <typename Quantity>
void Tank::sum_pairs(bench::Range cells) {
  Sums<Quantity> sums;
  for (std::size_t cell = cells.begin; cell < cells.end; ++cell) sum_pairs_of(cell, sums);
}

template <typename Quantity, typename Sum>
void add_pairs(Cell& here, std::vector<Sum>& here_sums, Cell& there, std::vector<Sum>& there_sums) {
  here.for_each([&](const Block& a, std::size_t i, std::size_t n) {
    there.for_each([&](const Block& b, std::size_t j, std::size_t m) {
      if ((&here == &there && m <= n) || !are_near(a, i, b, j)) return;
      const Sum term = Quantity::between(a, i, b, j);
      here_sums[n] += term;
      there_sums[m] += Quantity::in_return(term);
    });
  });
}

template <typename Quantity, typename Sum>
void add_to_particles(Cell& cell, const std::vector<Sum>& sums) {
  std::unique_lock lock(cell.mutex, std::defer_lock);
  if constexpr (!bench::kRacy) {
    if (cell.is_border) lock.lock();
  }
  cell.for_each(
      [&](Block& block, std::size_t i, std::size_t n) { Quantity::add(block, i, sums[n]); });
}

// Pairs within the cell, and with particles of the later ones around it.
template <typename Quantity>
void Tank::sum_pairs_of(std::size_t cell, Sums<Quantity>& sums) {
  using Sum = typename Quantity::Sum;
  Cell& here = now()[cell];
  if (here.particles == 0) return;
  sums.here.assign(here.particles, Sum{});
  add_pairs<Quantity>(here, sums.here, here, sums.here);
  for_neighbours(cell, [&](std::size_t other) {
    Cell& there = now()[other];
    if (other < cell || there.particles == 0) return;
    sums.there.assign(there.particles, Sum{});
    add_pairs<Quantity>(here, sums.here, there, sums.there);
    add_to_particles<Quantity>(there, sums.there);
  });
  add_to_particles<Quantity>(here, sums.here);
}

std::size_t Tank::in_overflow_blocks() {
  std::size_t sum = 0;
  for (const Cell& cell : now()) sum += cell.particles - std::min(cell.particles, Block::kCapacity);
  return sum;
}

bool Tank::nothing_is_lost() {
  std::size_t found = 0, misplaced = 0;
  for (std::size_t cell = 0; cell < cell_count(); ++cell) {
    now()[cell].for_each([&](const Block& block, std::size_t i, std::size_t) {
      ++found;
      misplaced += home(block.position[i]) != cell;
    });
  }
  return found == particles_ && misplaced == 0;
}

bool Tank::accelerations_add_up_to_nothing() {
  Vec sum;
  float size = 0;
  for (Cell& cell : now()) {
    cell.for_each([&](const Block& block, std::size_t i, std::size_t) {
      sum += block.acceleration[i];
      size += length(block.acceleration[i]);
    });
  }
  return size > 0 && length(sum) <= 1e-4f * size;
}

bool Tank::samples_agree() {
  constexpr std::size_t kSamples = 24;
  const std::size_t stride = std::max<std::size_t>(1, particles_ / kSamples);
  std::size_t number = 0;
  bool agree = true;
  const auto check = [&](const Block& block, std::size_t i) {
    float density = kernel(0), size = 0;
    Vec acceleration;
    for (Cell& cell : now()) {
      cell.for_each([&](const Block& other, std::size_t j, std::size_t) {
        if ((&other == &block && j == i) || !are_near(block, i, other, j)) return;
        const Vec term = Acceleration::between(block, i, other, j);
        density += Density::between(block, i, other, j);
        acceleration += term;
        size += length(term);
      });
    }
    density *= kMass;
    agree &= std::abs(density - block.density[i]) <= 1e-4f * density &&
             length(acceleration - block.acceleration[i]) <= 1e-4f * size;
  };
  for (Cell& cell : now()) {
    cell.for_each([&](const Block& block, std::size_t i, std::size_t) {
      if (number++ % stride == 0) check(block, i);
    });
  }
  return agree;
}

bench::Result run(const bench::Options& options, bench::KernelTimer& timer) {
  const Workload& workload = kWorkload[options.size];
  Tank tank(workload.side, options.threads);

  timer.start();
  tank.run(workload.frames);
  timer.stop();

  const bool valid =
      tank.nothing_is_lost() && tank.accelerations_add_up_to_nothing() && tank.samples_agree();
  return {valid,
          bench::format("%zu particles, %zu in overflow blocks", tank.size(),
                        tank.in_overflow_blocks()),
          bench::kByOrderOfThreads};
}

}  // namespace

int main(int argc, char** argv) {
  return bench::program_main(argc, argv, "fluid", run);
}
