// multipole: the field of charges in the plane by the fast multipole method (Greengard and Rokhlin,
// "A fast algorithm for particle simulations", 1987; the shape of FMM in SPLASH-2).
//
// A tree of square boxes, each allocated for itself, has at every level pointers to the boxes next
// to it and to its interaction list: the boxes of its parent's neighbours' children that are not
// next to it. Threads own blocks of the boxes of a level and blocks of charges. They make the tree
// level by level, put their charges into the lists of leaves under each leaf's lock, and then sum
// up: from the leaves to the root, multipole expansions of the charges within a box; at all levels,
// those of the interaction list into a local expansion; from the root to the leaves, local
// expansions of parents into those of children; in leaves, local expansions and all pairs with
// charges of neighbours. Barriers stand between levels and phases.
//
// Valid if the field at sampled charges is that of a direct sum, but for what is cut off the
// expansions, and if the forces on all charges cancel out, which they do to rounding: as many terms
// are cut off either way.
#include <algorithm>
#include <array>
#include <barrier>
#include <cmath>
#include <memory>
#include <mutex>
#include <vector>

#include "bench/programs/common/mix.h"
#include "bench/programs/common/program.h"
#include "bench/programs/common/team.h"

namespace {

struct Workload {
  std::size_t charges;
  int levels;  // below the root
};

constexpr bench::BySize<Workload> kWorkload{
    {1'500, 3}, {15'000, 4}, {60'000, 5}, {240'000, 6}, {960'000, 7}};
constexpr std::size_t kTerms = 12;
constexpr std::size_t kSamples = 16;
constexpr double kTolerance = 1e-6;

struct Complex {
  double re = 0, im = 0;

  Complex& operator+=(const Complex& o) {
    re += o.re, im += o.im;
    return *this;
  }
};

Complex operator+(Complex a, const Complex& b) {
  return a += b;
}
Complex operator-(const Complex& a, const Complex& b) {
  return {a.re - b.re, a.im - b.im};
}
Complex operator*(double s, const Complex& a) {
  return {s * a.re, s * a.im};
}
Complex operator*(const Complex& a, const Complex& b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
Complex inverse(const Complex& a) {
  const double scale = 1 / (a.re * a.re + a.im * a.im);
  return {scale * a.re, -scale * a.im};
}
double size_of(const Complex& a) {
  return std::hypot(a.re, a.im);
}

struct Charge {
  Complex position;
  double charge = 0;
  Complex field;           // the sum of charge / (position - that of the charge), over all others
  Charge* next = nullptr;  // in its leaf
};

struct Box {
  Complex centre;
  double side = 1;
  Box* parent = nullptr;
  std::array<Box*, 4> children{};
  std::vector<Box*> neighbours;    // and itself
  std::vector<Box*> interactions;  // of this level, near the parent but not near this
  Charge* charges = nullptr;       // of a leaf; while they are put there: guarded by mutex
  std::mutex mutex;
  // The field far outside is the sum of multipole[k] / z^(k + 1), that within of local[k] z^k,
  // where z is the distance from the centre.
  std::array<Complex, kTerms> multipole{}, local{};
};

// binomials[n][k]
constexpr std::array<std::array<double, 2 * kTerms>, 2 * kTerms> kBinomials = [] {
  std::array<std::array<double, 2 * kTerms>, 2 * kTerms> binomials{};
  for (std::size_t n = 0; n < 2 * kTerms; ++n) {
    binomials[n][0] = 1;
    for (std::size_t k = 1; k <= n; ++k) {
      binomials[n][k] = binomials[n - 1][k - 1] + binomials[n - 1][k];
    }
  }
  return binomials;
}();

// 1, z, z^2, ...
std::array<Complex, kTerms + 1> powers_of(const Complex& z) {
  std::array<Complex, kTerms + 1> powers;
  powers[0] = {1, 0};
  for (std::size_t k = 1; k <= kTerms; ++k) powers[k] = powers[k - 1] * z;
  return powers;
}

// A charge q at distance z from the centre adds q z^k.
void expand_charges(Box& leaf) {
  for (const Charge* c = leaf.charges; c != nullptr; c = c->next) {
    const auto powers = powers_of(c->position - leaf.centre);
    for (std::size_t k = 0; k < kTerms; ++k) leaf.multipole[k] += c->charge * powers[k];
  }
}

// Moves the children's expansions to the centre of their parent.
void gather_children(Box& box) {
  for (const Box* child : box.children) {
    const auto powers = powers_of(child->centre - box.centre);
    for (std::size_t k = 0; k < kTerms; ++k) {
      for (std::size_t j = 0; j <= k; ++j) {
        box.multipole[k] += kBinomials[k][j] * (powers[k - j] * child->multipole[j]);
      }
    }
  }
}

// 1 / (z + d)^(j + 1) is the sum of (-1)^k binomial(j + k, k) z^k / d^(j + k + 1).
void add_interactions(Box& box) {
  for (const Box* far : box.interactions) {
    const Complex inverse_distance = inverse(box.centre - far->centre);
    const auto powers = powers_of(inverse_distance);
    std::array<Complex, kTerms> terms;
    for (std::size_t j = 0; j < kTerms; ++j) terms[j] = powers[j + 1] * far->multipole[j];
    for (std::size_t k = 0; k < kTerms; ++k) {
      Complex sum;
      for (std::size_t j = 0; j < kTerms; ++j) sum += kBinomials[j + k][k] * terms[j];
      box.local[k] += (k % 2 == 0 ? 1.0 : -1.0) * (powers[k] * sum);
    }
  }
}

// Moves the parent's local expansion to the centre of the box.
void inherit_local(Box& box) {
  const auto powers = powers_of(box.centre - box.parent->centre);
  for (std::size_t k = 0; k < kTerms; ++k) {
    for (std::size_t j = k; j < kTerms; ++j) {
      box.local[k] += kBinomials[j][k] * (powers[j - k] * box.parent->local[j]);
    }
  }
}

void find_fields(const Box& leaf) {
  for (Charge* c = leaf.charges; c != nullptr; c = c->next) {
    const auto powers = powers_of(c->position - leaf.centre);
    for (std::size_t k = 0; k < kTerms; ++k) c->field += leaf.local[k] * powers[k];
    for (const Box* near : leaf.neighbours) {
      for (const Charge* other = near->charges; other != nullptr; other = other->next) {
        if (other != c) c->field += other->charge * inverse(c->position - other->position);
      }
    }
  }
}

bool are_neighbours(const Box& a, const Box& b) {
  const Complex distance = a.centre - b.centre;
  return std::max(std::abs(distance.re), std::abs(distance.im)) < 1.5 * a.side;
}

void make_lists(Box& box) {
  for (const Box* near_parent : box.parent->neighbours) {
    for (Box* candidate : near_parent->children) {
      (are_neighbours(box, *candidate) ? box.neighbours : box.interactions).push_back(candidate);
    }
  }
}

class Method {
 public:
  Method(const Workload& workload, int threads)
      : threads_(threads), charges_(workload.charges), barrier_(threads) {
    for (int l = 0; l <= workload.levels; ++l) levels_.emplace_back(std::size_t{1} << 2 * l);
    bench::Random random(workload.charges);
    for (Charge& c : charges_) {
      c.position = {random.unit(), random.unit()};
      c.charge = random.unit() + 0.5;
    }
  }

  void run() {
    bench::run_team(threads_, [this](int id) {
      make_tree(id);
      insert_charges(id);
      sum_up(id);
      sum_down(id);
    });
  }

  const std::vector<Charge>& charges() const { return charges_; }

 private:
  // The boxes of a level in the order of their parents, four each.
  using Level = std::vector<std::unique_ptr<Box>>;

  template <typename Body>
  void for_own(Level& level, int id, const Body& body) {
    const auto own = bench::block_of(0, level.size(), id, threads_);
    for (std::size_t i = own.begin; i < own.end; ++i) body(level[i]);
  }

  void make_tree(int id) {
    if (id == 0) {
      levels_[0][0] = std::make_unique<Box>();
      Box& root = *levels_[0][0];
      root.centre = {0.5, 0.5};
      root.neighbours.push_back(&root);
    }
    barrier_.arrive_and_wait();
    for (std::size_t l = 1; l < levels_.size(); ++l) {
      const auto parents = bench::block_of(0, levels_[l - 1].size(), id, threads_);
      for (std::size_t i = parents.begin; i < parents.end; ++i) make_children(l, i);
      barrier_.arrive_and_wait();
      for_own(levels_[l], id, [](auto& box) { make_lists(*box); });
      barrier_.arrive_and_wait();
    }
  }

  void make_children(std::size_t level, std::size_t parent_index) {
    Box& parent = *levels_[level - 1][parent_index];
    for (std::size_t quadrant = 0; quadrant < 4; ++quadrant) {
      auto& box = levels_[level][4 * parent_index + quadrant];
      box = std::make_unique<Box>();
      box->parent = &parent;
      box->side = parent.side / 2;
      const double step = parent.side / 4;
      box->centre =
          parent.centre + Complex{quadrant & 1 ? step : -step, quadrant & 2 ? step : -step};
      parent.children[quadrant] = box.get();
    }
  }

  Box& leaf_of(const Complex& position) {
    Box* box = levels_[0][0].get();
    while (box->children[0] != nullptr) {
      const std::size_t right = position.re >= box->centre.re,
                        upper = position.im >= box->centre.im;
      box = box->children[right + 2 * upper];
    }
    return *box;
  }

  void insert_charges(int id) {
    const auto own = bench::block_of(0, charges_.size(), id, threads_);
    for (std::size_t i = own.begin; i < own.end; ++i) {
      Box& leaf = leaf_of(charges_[i].position);
      const std::scoped_lock lock(leaf.mutex);
      charges_[i].next = leaf.charges;
      leaf.charges = &charges_[i];
    }
    barrier_.arrive_and_wait();
  }

  void sum_up(int id) {
    for_own(levels_.back(), id, [](auto& box) { expand_charges(*box); });
    barrier_.arrive_and_wait();
    for (std::size_t l = levels_.size() - 1; l-- > 0;) {
      for_own(levels_[l], id, [](auto& box) { gather_children(*box); });
      barrier_.arrive_and_wait();
    }
  }

  void sum_down(int id) {
    for (std::size_t l = 1; l < levels_.size(); ++l) {
      for_own(levels_[l], id, [](auto& box) {
        inherit_local(*box);
        add_interactions(*box);
      });
      barrier_.arrive_and_wait();
    }
    for_own(levels_.back(), id, [](auto& box) { find_fields(*box); });
  }

  const int threads_;
  std::vector<Charge> charges_;
  std::vector<Level> levels_;
  std::barrier<> barrier_;
};

// The error of the field at sampled charges, relative to its size.
double field_error(const std::vector<Charge>& charges) {
  double error = 0, size = 0;
  for (std::size_t sample = 0; sample < kSamples; ++sample) {
    const Charge& c = charges[sample * charges.size() / kSamples];
    Complex direct;
    for (const Charge& other : charges) {
      if (&other != &c) direct += other.charge * inverse(c.position - other.position);
    }
    error += size_of(direct - c.field);
    size += size_of(direct);
  }
  return error / size;
}

// The sum of all forces, relative to their sizes: action and reaction cancel out.
double force_imbalance(const std::vector<Charge>& charges) {
  Complex sum;
  double size = 0;
  for (const Charge& c : charges) {
    sum += c.charge * c.field;
    size += c.charge * size_of(c.field);
  }
  return size_of(sum) / size;
}

bench::Result run(const bench::Options& options, bench::KernelTimer& timer) {
  Method method(kWorkload[options.size], options.threads);

  timer.start();
  method.run();
  timer.stop();

  const double of_field = field_error(method.charges());
  const double imbalance = force_imbalance(method.charges());
  return {of_field <= kTolerance && imbalance <= 1e-13,
          bench::format("%zu charges, field error %.2g, imbalance %.2g", method.charges().size(),
                        of_field, imbalance),
          bench::kByOrderOfThreads};
}

}  // namespace

int main(int argc, char** argv) {
  return bench::program_main(argc, argv, "multipole", run);
}
