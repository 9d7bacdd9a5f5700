// stream_cluster: clusters a stream of points, a chunk at a time, by local search. In the spirit of
// streamcluster of the PARSEC suite.
//
// The coordinates of a chunk, and behind them those of all centres found so far, are one array of
// floats; a point is a record that points into it. Threads own blocks of a chunk. They try random
// points as new centres: each thread sums up, for its points, what would be saved by moving to the
// candidate, and for each centre what it would cost to send the rest of its points there as well.
// At a barrier thread 0 adds the sums and decides whether the candidate is opened and which centres
// are closed; after another barrier the threads move their points. The price of a centre is found
// by bisection, so that there are about as many as asked for. At the end the centres of the chunks,
// weighted by their points, are clustered in the same way.
//
// Sums depend on the number of threads, so a close decision may fall either way. Valid if the cost
// kept with each point is its distance from its centre, chunk by chunk, and if fresh points of the
// stream are about as near to the last centres as to those around which the stream was made.
//
// The racy variant leaves out the barrier before thread 0 adds the sums of the others.
#include <algorithm>
#include <array>
#include <barrier>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <vector>

#include "bench/programs/common/mix.h"
#include "bench/programs/common/program.h"
#include "bench/programs/common/team.h"

namespace {

struct Workload {
  std::size_t chunks;
  std::size_t points;  // of a chunk
};

constexpr bench::BySize<Workload> kWorkload{
    {1, 300}, {2, 6'000}, {6, 18'000}, {10, 45'000}, {16, 110'000}};
constexpr std::size_t kDimensions = 32;
constexpr std::size_t kClusters = 12;  // around which the stream is made
constexpr std::size_t kMinCentres = 12, kMaxCentres = 18;
constexpr int kMaxRounds = 12;                   // of bisection
constexpr std::size_t kCandidates = 80;          // of a round
constexpr std::size_t kSlots = kCandidates + 1;  // enough if all candidates are opened

// The point that the stream has at `number`, and the cluster that it was made around.
class Stream {
 public:
  Stream() {
    bench::Random random(3);
    for (auto& centre : centres_) {
      for (float& x : centre) x = static_cast<float>(random.unit());
    }
  }

  void read(std::uint64_t number, float* point) const {
    bench::Random random(number << 20);
    const auto& centre = centres_[random.below(kClusters)];
    for (std::size_t d = 0; d < kDimensions; d += 2) {
      const double size = kDeviation * std::sqrt(-2 * std::log(1 - random.unit()));
      const double angle = 2 * std::numbers::pi * random.unit();
      point[d] = centre[d] + static_cast<float>(size * std::cos(angle));
      point[d + 1] = centre[d + 1] + static_cast<float>(size * std::sin(angle));
    }
  }

  // The mean square distance of points from the centre they were made around.
  static constexpr double spread() { return kDimensions * kDeviation * kDeviation; }

 private:
  static constexpr double kDeviation = 0.1;

  std::array<std::array<float, kDimensions>, kClusters> centres_;
};

double square_distance(const float* a, const float* b) {
  float sum = 0;
  for (std::size_t d = 0; d < kDimensions; ++d) sum += (a[d] - b[d]) * (a[d] - b[d]);
  return sum;
}

struct Point {
  const float* coordinates = nullptr;
  double weight = 1;
  std::size_t slot = 0;  // of its centre
  double cost = 0;       // its weight times the square distance from its centre
  double offered = 0;    // what the cost would be with the candidate
};

double cost_at(const Point& point, const Point& centre) {
  return point.weight * square_distance(point.coordinates, centre.coordinates);
}

// What a thread finds out about a candidate from its own points.
struct Offer {
  double saved = 0;                    // by points that move because the candidate is nearer
  std::array<double, kSlots> extra{};  // for each centre: what its other points would pay to move
};

class Clustering {
 public:
  Clustering(const Stream& stream, const Workload& workload, int threads)
      : stream_(stream),
        workload_(workload),
        threads_(threads),
        coordinates_((workload.points + workload.chunks * kSlots) * kDimensions),
        points_(workload.points),
        offers_(static_cast<std::size_t>(threads)),
        wrong_costs_(static_cast<std::size_t>(threads)),
        barrier_(threads) {}

  void run() {
    bench::run_team(threads_, [this](int id) { run_thread(id); });
  }

  bool costs_are_right() const {
    return std::all_of(wrong_costs_.begin(), wrong_costs_.end(),
                       [](const auto& count) { return count.value == 0; });
  }
  std::size_t centres() const { return open_count_; }
  // The mean square distance of points that were not in the stream from the nearest centre.
  double spread() const;

 private:
  float* coordinates(std::size_t i) { return &coordinates_[i * kDimensions]; }
  void run_thread(int id);
  void find_centres(int id, std::uint64_t seed);
  void try_candidate(int id, std::size_t candidate);
  Offer make_offer(const Point& candidate, bench::Range own);
  void decide(std::size_t candidate);
  void move_points(bench::Range own);
  std::size_t count_wrong_costs(bench::Range own) const;
  void start_round();
  void finish_round(int round);
  void keep_centres();
  void take_centres_as_points();

  const Stream& stream_;
  const Workload workload_;
  const int threads_;
  std::vector<float> coordinates_;  // the chunk's points, then the centres found so far
  std::vector<Point> points_;       // each thread changes those of its block
  std::vector<bench::Padded<Offer>> offers_;
  std::vector<bench::Padded<std::size_t>> wrong_costs_;
  std::barrier<> barrier_;

  // Written by thread 0 between barriers. No container changes its size while others look, so that
  // the racy variant keeps within bounds.
  std::array<std::size_t, kSlots> centre_{};  // the point that is the centre of a slot
  std::array<bool, kSlots> is_open_{}, closes_{};
  bool is_accepted_ = false;
  std::size_t new_slot_ = 0;
  std::size_t open_count_ = 0;
  double price_ = 0, low_price_ = 0, high_price_ = 0;
  bool is_done_ = false;
  std::vector<double> weights_;  // of the centres found so far
};

void Clustering::run_thread(int id) {
  for (std::size_t chunk = 0; chunk < workload_.chunks; ++chunk) {
    const auto own = bench::block_of(0, points_.size(), id, threads_);
    for (std::size_t i = own.begin; i < own.end; ++i) {
      stream_.read(chunk * workload_.points + i, coordinates(i));
      points_[i] = {.coordinates = coordinates(i)};
    }
    barrier_.arrive_and_wait();
    find_centres(id, chunk);
    if (id == 0) keep_centres();
    barrier_.arrive_and_wait();
  }
  if (id == 0) take_centres_as_points();
  barrier_.arrive_and_wait();
  find_centres(id, workload_.chunks);
}

// Every thread draws the same candidates.
void Clustering::find_centres(int id, std::uint64_t seed) {
  const auto own = bench::block_of(0, points_.size(), id, threads_);
  bench::Random random(seed);
  if (id == 0) low_price_ = high_price_ = 0;
  for (int round = 0;; ++round) {
    for (std::size_t i = own.begin; i < own.end; ++i) {
      points_[i].slot = 0;
      points_[i].cost = cost_at(points_[i], points_[0]);
    }
    barrier_.arrive_and_wait();
    if (id == 0) start_round();
    barrier_.arrive_and_wait();
    for (std::size_t n = 0; n < kCandidates; ++n) try_candidate(id, random.below(points_.size()));
    barrier_.arrive_and_wait();
    if (id == 0) finish_round(round);
    barrier_.arrive_and_wait();
    if (is_done_) break;
  }
  wrong_costs_[static_cast<std::size_t>(id)].value += count_wrong_costs(own);
}

// One centre, the first point, which all points belong to.
void Clustering::start_round() {
  is_open_.fill(false);
  is_open_[0] = true;
  centre_[0] = 0;
  open_count_ = 1;
  if (high_price_ == 0) {
    // Few centres save no more than all there is to pay, and must be worth their price.
    for (const Point& point : points_) high_price_ += point.cost / kMinCentres;
  }
  price_ = 0.5 * (low_price_ + high_price_);
}

void Clustering::finish_round(int round) {
  if (open_count_ > kMaxCentres) {
    low_price_ = price_;
  } else if (open_count_ < kMinCentres) {
    high_price_ = price_;
  }
  is_done_ = round + 1 == kMaxRounds || (open_count_ >= kMinCentres && open_count_ <= kMaxCentres);
}

// As many barriers whatever comes out, because threads of the racy variant may disagree.
void Clustering::try_candidate(int id, std::size_t candidate) {
  const auto own = bench::block_of(0, points_.size(), id, threads_);
  offers_[static_cast<std::size_t>(id)].value = make_offer(points_[candidate], own);
  if constexpr (!bench::kRacy) barrier_.arrive_and_wait();
  if (id == 0) decide(candidate);
  barrier_.arrive_and_wait();
  if (is_accepted_) move_points(own);
}

Offer Clustering::make_offer(const Point& candidate, bench::Range own) {
  Offer offer;
  for (std::size_t i = own.begin; i < own.end; ++i) {
    Point& point = points_[i];
    point.offered = cost_at(point, candidate);
    if (point.offered < point.cost) {
      offer.saved += point.cost - point.offered;
    } else {
      offer.extra[point.slot] += point.offered - point.cost;
    }
  }
  return offer;
}

void Clustering::decide(std::size_t candidate) {
  double gain = -price_;
  std::array<double, kSlots> extra{};
  for (const auto& offer : offers_) {
    gain += offer.value.saved;
    for (std::size_t slot = 0; slot < kSlots; ++slot) extra[slot] += offer.value.extra[slot];
  }
  std::size_t closing = 0;
  bool is_centre = false;
  for (std::size_t slot = 0; slot < kSlots; ++slot) {
    closes_[slot] = is_open_[slot] && extra[slot] < price_;
    if (closes_[slot]) gain += price_ - extra[slot], ++closing;
    is_centre |= is_open_[slot] && centre_[slot] == candidate;
  }
  is_accepted_ = gain > 0 && !is_centre;
  if (!is_accepted_) return;
  const auto free = std::find(is_open_.begin(), is_open_.end(), false);
  new_slot_ = static_cast<std::size_t>(free - is_open_.begin());
  for (std::size_t slot = 0; slot < kSlots; ++slot) is_open_[slot] &= !closes_[slot];
  is_open_[new_slot_] = true;
  centre_[new_slot_] = candidate;
  open_count_ += 1 - closing;
}

void Clustering::move_points(bench::Range own) {
  for (std::size_t i = own.begin; i < own.end; ++i) {
    Point& point = points_[i];
    if (point.offered >= point.cost && !closes_[point.slot]) continue;
    point.slot = new_slot_;
    point.cost = point.offered;
  }
}

std::size_t Clustering::count_wrong_costs(bench::Range own) const {
  std::size_t wrong = 0;
  for (std::size_t i = own.begin; i < own.end; ++i) {
    const Point& point = points_[i];
    const double cost = cost_at(point, points_[centre_[point.slot]]);
    wrong += !is_open_[point.slot] || !(std::abs(cost - point.cost) <= 1e-9 * (1 + cost));
  }
  return wrong;
}

// Copies the chunk's centres behind those of the chunks before.
void Clustering::keep_centres() {
  std::array<double, kSlots> weight{};
  for (const Point& point : points_) weight[point.slot] += point.weight;
  for (std::size_t slot = 0; slot < kSlots; ++slot) {
    if (!is_open_[slot]) continue;
    std::copy_n(points_[centre_[slot]].coordinates, kDimensions,
                coordinates(workload_.points + weights_.size()));
    weights_.push_back(weight[slot]);
  }
}

void Clustering::take_centres_as_points() {
  points_.assign(weights_.size(), {});
  for (std::size_t i = 0; i < points_.size(); ++i) {
    points_[i].coordinates = coordinates(workload_.points + i);
    points_[i].weight = weights_[i];
  }
}

double Clustering::spread() const {
  constexpr std::uint64_t kSamples = 500;
  double sum = 0;
  for (std::uint64_t i = 0; i < kSamples; ++i) {
    std::array<float, kDimensions> point;
    stream_.read(workload_.chunks * workload_.points + i, point.data());
    double nearest = std::numeric_limits<double>::infinity();
    for (std::size_t slot = 0; slot < kSlots; ++slot) {
      if (!is_open_[slot]) continue;
      nearest =
          std::min(nearest, square_distance(point.data(), points_[centre_[slot]].coordinates));
    }
    sum += nearest;
  }
  return sum / static_cast<double>(kSamples);
}

bench::Result run(const bench::Options& options, bench::KernelTimer& timer) {
  const Stream stream;
  Clustering clustering(stream, kWorkload[options.size], options.threads);

  timer.start();
  clustering.run();
  timer.stop();

  // A centre is one of its points, which are twice as far from each other as from the mean.
  const double ratio = clustering.spread() / Stream::spread();
  return {clustering.costs_are_right() && ratio > 0.8 && ratio < 2.4,
          bench::format("%zu centres, spread %.3f of the stream's", clustering.centres(), ratio)};
}

}  // namespace

int main(int argc, char** argv) {
  return bench::program_main(argc, argv, "stream_cluster", run);
}
