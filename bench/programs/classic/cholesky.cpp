// cholesky: supernodal factorisation of a sparse symmetric matrix, the Laplacian of a cubic grid.
// In the spirit of cholesky of the SPLASH suite.
//
// Nested dissection numbers the unknowns: the two halves of a box first, the plane between them
// last. A supernode is a run of columns (of a small box, or of a plane, which is cut into several)
// that is kept as one dense panel with the rows in which any of them has an entry. The rows are
// found beforehand (symbolic factorisation), as is how many supernodes update each.
//
// A supernode that has had all its updates is ready and goes into a queue that all threads share.
// Whoever takes it factors its panel, computes what it takes from each supernode above it into a
// buffer, and subtracts that under the other's lock; the last update makes the other ready. A panel
// is handed from thread to thread that way; nobody knows the order beforehand.
//
// Updates are added in the order in which they come, so that last bits differ. Valid if the factor
// solves a system with a known solution.
#include <algorithm>
#include <array>
#include <cmath>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <vector>

#include "bench/programs/common/mix.h"
#include "bench/programs/common/program.h"
#include "bench/programs/common/team.h"

namespace {

constexpr bench::BySize<int> kSide{7, 19, 27, 34, 43};  // of the grid
constexpr int kSmallBox = 12;                           // unknowns that are not dissected further
constexpr std::size_t kMaxWidth = 32;                   // columns of a supernode

using Index = std::uint32_t;

struct Grid {
  int side;

  Index size() const { return static_cast<Index>(side * side * side); }
  Index point(int x, int y, int z) const { return static_cast<Index>((z * side + y) * side + x); }

  // Calls visit(q) for each neighbour q of point p.
  template <typename Visit>
  void for_neighbours(Index p, const Visit& visit) const {
    const auto s = static_cast<Index>(side);
    const Index x = p % s, y = p / s % s, z = p / s / s;
    if (x > 0) visit(p - 1);
    if (x + 1 < s) visit(p + 1);
    if (y > 0) visit(p - s);
    if (y + 1 < s) visit(p + s);
    if (z > 0) visit(p - s * s);
    if (z + 1 < s) visit(p + s * s);
  }
};

constexpr double kDiagonal = 6.05;  // more than the six neighbours' -1: positive definite

struct Columns {
  Index begin, end;
};

// An order of the unknowns and its cut into supernodes.
class Dissection {
 public:
  explicit Dissection(const Grid& grid) : grid_(grid), position_(grid.size()) {
    dissect({0, 0, 0}, {grid.side, grid.side, grid.side});
  }

  const std::vector<Index>& points() const { return points_; }      // in the order
  const std::vector<Index>& position() const { return position_; }  // of each point in the order
  const std::vector<Columns>& supernodes() const { return supernodes_; }

 private:
  using Corner = std::array<int, 3>;

  void dissect(const Corner& low, const Corner& high) {
    int unknowns = 1;
    std::size_t axis = 0;
    for (std::size_t a = 0; a < 3; ++a) {
      unknowns *= high[a] - low[a];
      if (high[a] - low[a] > high[axis] - low[axis]) axis = a;
    }
    if (unknowns == 0) return;
    if (unknowns <= kSmallBox) {
      number(low, high);
      return;
    }
    Corner middle_low = low, middle_high = high;
    middle_low[axis] = (low[axis] + high[axis]) / 2;
    middle_high[axis] = middle_low[axis] + 1;
    Corner first_high = high, second_low = low;
    first_high[axis] = middle_low[axis];
    second_low[axis] = middle_high[axis];
    dissect(low, first_high);
    dissect(second_low, high);
    number(middle_low, middle_high);
  }

  void number(const Corner& low, const Corner& high) {
    const std::size_t begin = points_.size();
    for (int z = low[2]; z < high[2]; ++z) {
      for (int y = low[1]; y < high[1]; ++y) {
        for (int x = low[0]; x < high[0]; ++x) {
          const Index point = grid_.point(x, y, z);
          position_[point] = static_cast<Index>(points_.size());
          points_.push_back(point);
        }
      }
    }
    for (std::size_t i = begin; i < points_.size(); i += kMaxWidth) {
      supernodes_.push_back(
          {static_cast<Index>(i), static_cast<Index>(std::min(i + kMaxWidth, points_.size()))});
    }
  }

  const Grid grid_;
  std::vector<Index> points_, position_;
  std::vector<Columns> supernodes_;
};

// The rows that belong to supernode `target` are rows[begin, end) of the source.
struct Update {
  std::size_t target;
  std::size_t begin, end;
};

struct Supernode {
  Columns columns;
  std::vector<Index> rows;      // in order; the first ones are the columns themselves
  std::vector<Update> updates;  // that it makes

  // Until the supernode is ready these are guarded by the mutex; then they belong to the thread
  // that took it from the queue.
  std::mutex mutex;
  std::vector<double> panel;  // column by column, rows.size() each
  std::size_t missing = 0;    // updates that are still to come

  std::size_t width() const { return columns.end - columns.begin; }
  double* column(std::size_t c) { return &panel[c * rows.size()]; }
  const double* column(std::size_t c) const { return &panel[c * rows.size()]; }
};

// to[i] -= factor * from[i]
void subtract_multiple(double* to, const double* from, double factor, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) to[i] -= factor * from[i];
}

class Factor {
 public:
  explicit Factor(const Grid& grid) : grid_(grid), order_(grid), owner_(grid.size()) {
    find_rows();
    find_updates();
    fill_in_matrix();
  }

  void compute(int threads);
  // Overwrites b, given in the order of the dissection, by the solution.
  void solve(std::vector<double>& b) const;

  const Dissection& order() const { return order_; }
  std::size_t supernodes() const { return nodes_.size(); }
  std::size_t entries() const {
    return std::accumulate(nodes_.begin(), nodes_.end(), std::size_t{0},
                           [](std::size_t n, const auto& node) { return n + node->panel.size(); });
  }

 private:
  class ReadyQueue;

  void find_rows();
  void find_updates();
  void fill_in_matrix();
  static void factor_panel(Supernode& node);
  void apply(const Supernode& source, const Update& update, std::vector<double>& buffer,
             ReadyQueue& ready);

  const Grid grid_;
  const Dissection order_;
  std::vector<std::size_t> owner_;  // the supernode of each column
  std::vector<std::unique_ptr<Supernode>> nodes_;
};

// A supernode has the rows of the matrix below its columns, and those of the supernodes whose first
// row outside lies in it.
void Factor::find_rows() {
  const auto& cuts = order_.supernodes();
  std::vector<std::vector<std::size_t>> children(cuts.size());
  for (std::size_t k = 0; k < cuts.size(); ++k) {
    for (Index c = cuts[k].begin; c < cuts[k].end; ++c) owner_[c] = k;
  }
  for (std::size_t k = 0; k < cuts.size(); ++k) {
    auto node = std::make_unique<Supernode>();
    node->columns = cuts[k];
    std::vector<Index>& rows = node->rows;
    const auto add = [&rows, end = cuts[k].end](Index row) {
      if (row >= end) rows.push_back(row);
    };
    for (Index c = cuts[k].begin; c < cuts[k].end; ++c) {
      grid_.for_neighbours(order_.points()[c], [&](Index q) { add(order_.position()[q]); });
    }
    for (std::size_t child : children[k]) {
      for (Index row : nodes_[child]->rows) add(row);
    }
    std::sort(rows.begin(), rows.end());
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
    if (!rows.empty()) children[owner_[rows.front()]].push_back(k);
    std::vector<Index> columns(node->width());
    std::iota(columns.begin(), columns.end(), cuts[k].begin);
    rows.insert(rows.begin(), columns.begin(), columns.end());
    nodes_.push_back(std::move(node));
  }
}

void Factor::find_updates() {
  for (const auto& node : nodes_) {
    const std::vector<Index>& rows = node->rows;
    for (std::size_t begin = node->width(), end; begin < rows.size(); begin = end) {
      const std::size_t target = owner_[rows[begin]];
      end = begin;
      while (end < rows.size() && owner_[rows[end]] == target) ++end;
      node->updates.push_back({target, begin, end});
      ++nodes_[target]->missing;
    }
  }
}

void Factor::fill_in_matrix() {
  for (const auto& node : nodes_) {
    node->panel.resize(node->rows.size() * node->width());
    for (std::size_t c = 0; c < node->width(); ++c) {
      double* column = node->column(c);
      const Index place = node->columns.begin + static_cast<Index>(c);
      column[c] = kDiagonal;
      grid_.for_neighbours(order_.points()[place], [&](Index q) {
        const Index row = order_.position()[q];
        if (row < place) return;
        const auto found = std::lower_bound(node->rows.begin(), node->rows.end(), row);
        column[found - node->rows.begin()] = -1;
      });
    }
  }
}

// The supernodes that wait for a thread.
class Factor::ReadyQueue {
 public:
  explicit ReadyQueue(std::size_t total) : unfinished_(total) {}

  void push(std::size_t node) {
    {
      std::lock_guard lock(mutex_);
      ready_.push_back(node);
    }
    changed_.notify_one();
  }

  // Waits for a supernode; nothing once all are finished.
  std::optional<std::size_t> pop() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return !ready_.empty() || unfinished_ == 0; });
    if (ready_.empty()) return std::nullopt;
    const std::size_t node = ready_.front();
    ready_.pop_front();
    return node;
  }

  void finish_one() {
    std::size_t left;
    {
      std::lock_guard lock(mutex_);
      left = --unfinished_;
    }
    if (left == 0) changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::size_t> ready_;  // guarded by mutex_, as is unfinished_
  std::size_t unfinished_;
};

void Factor::compute(int threads) {
  ReadyQueue ready(nodes_.size());
  for (std::size_t k = 0; k < nodes_.size(); ++k) {
    if (nodes_[k]->missing == 0) ready.push(k);
  }
  bench::run_team(threads, [&](int) {
    std::vector<double> buffer;
    while (const auto taken = ready.pop()) {
      Supernode& node = *nodes_[*taken];
      factor_panel(node);
      for (const Update& update : node.updates) apply(node, update, buffer, ready);
      ready.finish_one();
    }
  });
}

void Factor::factor_panel(Supernode& node) {
  const std::size_t height = node.rows.size();
  for (std::size_t k = 0; k < node.width(); ++k) {
    double* pivot = node.column(k);
    const double scale = 1 / std::sqrt(pivot[k]);
    for (std::size_t i = k; i < height; ++i) pivot[i] *= scale;
    for (std::size_t j = k + 1; j < node.width(); ++j) {
      subtract_multiple(node.column(j) + j, pivot + j, pivot[j], height - j);
    }
  }
}

void Factor::apply(const Supernode& source, const Update& update, std::vector<double>& buffer,
                   ReadyQueue& ready) {
  const std::size_t height = source.rows.size() - update.begin;
  const std::size_t width = update.end - update.begin;
  buffer.assign(height * width, 0);
  for (std::size_t k = 0; k < source.width(); ++k) {
    const double* from = source.column(k) + update.begin;
    for (std::size_t j = 0; j < width; ++j) {
      subtract_multiple(&buffer[j * height + j], from + j, from[j], height - j);
    }
  }
  // All rows of the source from here on are rows of the target.
  Supernode& target = *nodes_[update.target];
  std::vector<std::size_t> place(height);
  auto row = target.rows.begin();
  for (std::size_t i = 0; i < height; ++i) {
    row = std::lower_bound(row, target.rows.end(), source.rows[update.begin + i]);
    place[i] = static_cast<std::size_t>(row - target.rows.begin());
  }
  bool is_ready;
  {
    std::lock_guard lock(target.mutex);
    for (std::size_t j = 0; j < width; ++j) {
      double* column = target.column(place[j]);  // its first rows are its columns
      for (std::size_t i = j; i < height; ++i) column[place[i]] += buffer[j * height + i];
    }
    is_ready = --target.missing == 0;
  }
  if (is_ready) ready.push(update.target);
}

void Factor::solve(std::vector<double>& b) const {
  for (const auto& node : nodes_) {
    for (std::size_t c = 0; c < node->width(); ++c) {
      const double* column = node->column(c);
      const double x = b[node->rows[c]] /= column[c];
      for (std::size_t i = c + 1; i < node->rows.size(); ++i) b[node->rows[i]] -= x * column[i];
    }
  }
  for (auto node = nodes_.rbegin(); node != nodes_.rend(); ++node) {
    for (std::size_t c = (*node)->width(); c-- > 0;) {
      const double* column = (*node)->column(c);
      double sum = b[(*node)->rows[c]];
      for (std::size_t i = c + 1; i < (*node)->rows.size(); ++i) {
        sum -= column[i] * b[(*node)->rows[i]];
      }
      b[(*node)->rows[c]] = sum / column[c];
    }
  }
}

// The root mean square error of the solution of a system that was made from a known one.
double error_of(const Grid& grid, const Factor& factor) {
  const auto known = [](Index p) { return 1 + static_cast<double>(bench::mix(p) % 1000) / 1000; };
  const std::vector<Index>& points = factor.order().points();
  std::vector<double> x(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    x[i] = kDiagonal * known(points[i]);
    grid.for_neighbours(points[i], [&](Index q) { x[i] -= known(q); });
  }
  factor.solve(x);
  double squares = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    squares += (x[i] - known(points[i])) * (x[i] - known(points[i]));
  }
  return std::sqrt(squares / static_cast<double>(points.size()));
}

bench::Result run(const bench::Options& options, bench::KernelTimer& timer) {
  const Grid grid{kSide[options.size]};
  Factor factor(grid);

  timer.start();
  factor.compute(options.threads);
  timer.stop();

  const double error = error_of(grid, factor);
  return {error <= 1e-10,
          bench::format("%u unknowns, %zu supernodes, %zu entries, error %.1e", grid.size(),
                        factor.supernodes(), factor.entries(), error),
          bench::kByOrderOfThreads};
}

}  // namespace

int main(int argc, char** argv) {
  return bench::program_main(argc, argv, "cholesky", run);
}
