// barnes_hut: gravitation among bodies by an octree (Barnes and Hut, "A hierarchical O(N log N)
// force-calculation algorithm", Nature 1986; the shape of Barnes in SPLASH-2).
//
// Each step moves the bodies, builds a new tree of heap cells, sums up masses, and walks the tree
// once for each body: a cell that is far away for its size pulls as one mass, others are opened.
// Threads own blocks of bodies, and the cells that they made, which they free at the next step.
// Barriers stand between phases. All threads insert into the one tree: who looks at a child of a
// cell holds the cell's lock. A cell's mass is summed up by who made it, from the cells made last
// back to the first, waiting for the flags of cells below that others made. Children are younger
// than their parent, so that nobody waits in a circle. The walk needs no locks.
//
// Valid if the tree holds the mass of all bodies at their centre, if the forces on sampled bodies
// are those of a direct sum, but for what distant cells may err, and if energy is conserved.
// Forces are sums in the tree's order and the tree is the same whoever builds it, but for the order
// of the bodies' insertion, which it does not show.
#include <algorithm>
#include <array>
#include <atomic>
#include <barrier>
#include <cmath>
#include <cstdint>
#include <memory>
#include <mutex>
#include <numbers>
#include <vector>

#include "bench/programs/common/mix.h"
#include "bench/programs/common/program.h"
#include "bench/programs/common/team.h"
#include "bench/programs/common/vec3.h"

namespace {

using Vec = bench::Vec3<double>;

struct Workload {
  std::size_t bodies;
  int steps;
};

constexpr bench::BySize<Workload> kWorkload{
    {300, 3}, {2'500, 3}, {10'000, 4}, {24'000, 6}, {48'000, 10}};
constexpr double kOpening =
    0.7;  // a cell is opened if its side is more than this times its distance
constexpr double kSoftening = 0.05;
constexpr double kTimeStep = 0.025;
constexpr std::size_t kSamples = 24;

struct Node {
  explicit Node(bool is_cell) : is_cell(is_cell) {}

  const bool is_cell;
  double mass = 0;
  Vec position;  // of a cell: the centre of its mass
};

struct Body : Node {
  Body() : Node(false) {}

  Vec velocity, acceleration;
  double potential = 0;
};

struct Cell : Node {
  Cell(const Vec& middle, double side) : Node(true), middle(middle), side(side) {}

  const Vec middle;
  const double side;
  std::array<Node*, 8> children{};  // while the tree is built: guarded by mutex
  std::mutex mutex;
  std::atomic<bool> summed{false};  // mass and position are there
};

std::size_t octant_of(const Vec& position, const Cell& cell) {
  return (position.x >= cell.middle.x ? 1u : 0u) | (position.y >= cell.middle.y ? 2u : 0u) |
         (position.z >= cell.middle.z ? 4u : 0u);
}

std::unique_ptr<Cell> make_child(const Cell& cell, std::size_t octant) {
  const double step = cell.side / 4;
  const Vec offset{octant & 1 ? step : -step, octant & 2 ? step : -step, octant & 4 ? step : -step};
  return std::make_unique<Cell>(cell.middle + offset, cell.side / 2);
}

// One thread's cells, in the order in which it made them.
using Cells = std::vector<std::unique_ptr<Cell>>;

// REQUIRES: the body is within the cell, and nowhere where another body is.
void insert(Body& body, Cell* cell, Cells& made) {
  for (;;) {
    const std::scoped_lock lock(cell->mutex);
    const std::size_t octant = octant_of(body.position, *cell);
    Node*& child = cell->children[octant];
    if (child == nullptr) {
      child = &body;
      return;
    }
    if (!child->is_cell) {
      made.push_back(make_child(*cell, octant));
      Cell& below = *made.back();
      below.children[octant_of(child->position, below)] = child;
      child = &below;
    }
    cell = static_cast<Cell*>(child);
  }
}

void sum_up(Cell& cell) {
  for (Node* child : cell.children) {
    if (child == nullptr) continue;
    if (child->is_cell) static_cast<Cell*>(child)->summed.wait(false, std::memory_order_acquire);
    cell.mass += child->mass;
    cell.position += child->mass * child->position;
  }
  cell.position *= 1 / cell.mass;
  cell.summed.store(true, std::memory_order_release);
  cell.summed.notify_all();
}

void attract(Body& body, const Vec& distance, double distance_squared, double mass) {
  const double inverse = 1 / std::sqrt(distance_squared + kSoftening * kSoftening);
  body.potential -= mass * inverse;
  body.acceleration += mass * inverse * inverse * inverse * distance;
}

void walk(Body& body, const Node* node) {
  if (node == &body) return;
  const Vec distance = node->position - body.position;
  const double distance_squared = dot(distance, distance);
  if (node->is_cell) {
    const Cell& cell = *static_cast<const Cell*>(node);
    if (cell.side * cell.side > kOpening * kOpening * distance_squared) {
      for (const Node* child : cell.children) {
        if (child != nullptr) walk(body, child);
      }
      return;
    }
  }
  attract(body, distance, distance_squared, node->mass);
}

double largest_coordinate(const std::vector<Body>& bodies, bench::Range own) {
  double largest = 0;
  for (std::size_t i = own.begin; i < own.end; ++i) {
    const Vec& p = bodies[i].position;
    largest = std::max({largest, std::abs(p.x), std::abs(p.y), std::abs(p.z)});
  }
  return largest;
}

Vec random_direction(bench::Random& random) {
  const double z = 2 * random.unit() - 1;
  const double angle = 2 * std::numbers::pi * random.unit();
  const double ring = std::sqrt(1 - z * z);
  return {ring * std::cos(angle), ring * std::sin(angle), z};
}

// A Plummer sphere, cut at ten times its scale: dense in the middle, so that the tree is deep
// there. Speeds are half of what would let the body escape.
void place(std::vector<Body>& bodies) {
  bench::Random random(bodies.size());
  for (Body& body : bodies) {
    const double enclosed = 0.98 * random.unit() + 1e-6;
    const double radius = 1 / std::sqrt(std::pow(enclosed, -2.0 / 3) - 1);
    const double escape = std::sqrt(2.0) * std::pow(1 + radius * radius, -0.25);
    body.mass = 1 / static_cast<double>(bodies.size());
    body.position = radius * random_direction(random);
    body.velocity = 0.5 * escape * random_direction(random);
  }
}

class Simulation {
 public:
  Simulation(const Workload& workload, int threads)
      : steps_(workload.steps),
        threads_(threads),
        bodies_(workload.bodies),
        cells_(static_cast<std::size_t>(threads)),
        barrier_(threads) {
    place(bodies_);
  }

  void run() {
    bench::run_team(threads_, [this](int id) { run_thread(id); });
  }

  const std::vector<Body>& bodies() const { return bodies_; }
  const Cell& root() const { return *cells_[0].front(); }
  double first_energy() const { return energies_.front(); }
  double last_energy() const { return energies_.back(); }

 private:
  void run_thread(int id) {
    const auto own = bench::block_of(0, bodies_.size(), id, threads_);
    for (int step = 0; step <= steps_; ++step) {
      if (step > 0) drift(own);
      build_tree(own, id);
      for (std::size_t i = own.begin; i < own.end; ++i) find_force(bodies_[i]);
      finish_step(own, step);
      barrier_.arrive_and_wait();
    }
  }

  void build_tree(bench::Range own, int id) {
    Cells& made = cells_[static_cast<std::size_t>(id)];
    made.clear();
    {
      const double largest = largest_coordinate(bodies_, own);
      const std::scoped_lock lock(mutex_);
      extent_ = std::max(extent_, largest);
    }
    barrier_.arrive_and_wait();
    if (id == 0) {
      made.push_back(std::make_unique<Cell>(Vec{}, 2.001 * extent_));
      root_ = made.back().get();
      extent_ = 0;
      energies_.push_back(0);
    }
    barrier_.arrive_and_wait();
    for (std::size_t i = own.begin; i < own.end; ++i) insert(bodies_[i], root_, made);
    barrier_.arrive_and_wait();
    for (auto cell = made.rbegin(); cell != made.rend(); ++cell) sum_up(**cell);
    barrier_.arrive_and_wait();
  }

  void find_force(Body& body) const {
    body.acceleration = {};
    body.potential = 0;
    walk(body, root_);
  }

  // Velocity Verlet: half of the change of velocity before bodies move, half with the new force.
  void drift(bench::Range own) {
    for (std::size_t i = own.begin; i < own.end; ++i) {
      Body& body = bodies_[i];
      body.velocity += kTimeStep / 2 * body.acceleration;
      body.position += kTimeStep * body.velocity;
    }
  }

  void finish_step(bench::Range own, int step) {
    double energy = 0;
    for (std::size_t i = own.begin; i < own.end; ++i) {
      Body& body = bodies_[i];
      if (step > 0) body.velocity += kTimeStep / 2 * body.acceleration;
      energy += 0.5 * body.mass * (dot(body.velocity, body.velocity) + body.potential);
    }
    const std::scoped_lock lock(mutex_);
    energies_.back() += energy;
  }

  const int steps_;
  const int threads_;
  std::vector<Body> bodies_;
  std::vector<Cells> cells_;  // by the thread that made them; the root is the first of thread 0
  Cell* root_ = nullptr;
  std::barrier<> barrier_;
  std::mutex mutex_;
  double extent_ = 0;             // guarded by mutex_ while it grows
  std::vector<double> energies_;  // of each step; the last is guarded by mutex_ while it grows
};

// The mean error of the acceleration of sampled bodies, relative to its size.
double force_error(const std::vector<Body>& bodies) {
  const std::size_t stride = bodies.size() / kSamples;
  double error = 0;
  for (std::size_t i = 0; i < kSamples; ++i) {
    const Body& sample = bodies[i * stride];
    Body direct;
    for (const Body& other : bodies) {
      if (&other == &sample) continue;
      const Vec distance = other.position - sample.position;
      attract(direct, distance, dot(distance, distance), other.mass);
    }
    error += length(direct.acceleration - sample.acceleration) / length(direct.acceleration);
  }
  return error / kSamples;
}

// How far the root is from the bodies' mass and its centre.
double tree_error(const Cell& root, const std::vector<Body>& bodies) {
  double mass = 0;
  Vec centre;
  for (const Body& body : bodies) {
    mass += body.mass;
    centre += body.mass * body.position;
  }
  return std::abs(mass - root.mass) + length(centre - mass * root.position);
}

bench::Result run(const bench::Options& options, bench::KernelTimer& timer) {
  Simulation simulation(kWorkload[options.size], options.threads);

  timer.start();
  simulation.run();
  timer.stop();

  const auto& bodies = simulation.bodies();
  const double drift = std::abs(simulation.last_energy() / simulation.first_energy() - 1);
  const double of_force = force_error(bodies);
  const bool valid =
      tree_error(simulation.root(), bodies) <= 1e-12 && of_force <= 0.02 && drift <= 5e-4;
  return {valid,
          bench::format("%zu bodies, energy %.10f, drift %.2g, force error %.2g", bodies.size(),
                        simulation.last_energy(), drift, of_force),
          bench::kByOrderOfThreads};
}

}  // namespace

int main(int argc, char** argv) {
  return bench::program_main(argc, argv, "barnes_hut", run);
}
