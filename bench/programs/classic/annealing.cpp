// annealing: places the elements of a circuit by simulated annealing without locks. In the spirit
// of canneal of the PARSEC suite.
//
// An element has an atomic pointer to its location and lists of the elements it is wired to.
// Threads pick two elements at random and compare the lengths of their wires before and after a
// swap, for which they read the pointers of all neighbours while others may swap those: what they
// see may be old, which the method forgives. A swap takes both pointers out, that of the lower
// address first, leaving null behind so that others wait, and puts them back crossed over. A
// barrier ends each temperature.
//
// The result depends on the schedule. Valid if the locations are still one for each element, and
// the wires shorter than a bound. With one thread nothing is old, and the sum of all gains must be
// what the wires have lost. The wires are laid between neighbours first and elements then shuffled,
// so that there is a good placement to find.
#include <algorithm>
#include <atomic>
#include <barrier>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <thread>
#include <utility>
#include <vector>

#include "bench/programs/common/mix.h"
#include "bench/programs/common/program.h"
#include "bench/programs/common/team.h"

namespace {

struct Workload {
  int side;  // of the square of locations
  int temperatures;
  std::uint64_t moves;  // at each temperature, by all threads together
};

constexpr bench::BySize<Workload> kWorkload{
    {10, 16, 1'000}, {32, 20, 25'000}, {64, 24, 80'000}, {128, 24, 130'000}, {192, 24, 480'000}};
constexpr int kFanOut = 4;
constexpr int kWireReach = 2;        // of wires as they are laid, along each axis
constexpr double kCooling = 0.8;     // from one temperature to the next
constexpr double kShortening = 0.5;  // the share of the wires that must not be left

struct Location {
  int x, y;
};

int distance(const Location& a, const Location& b) {
  return std::abs(a.x - b.x) + std::abs(a.y - b.y);
}

class Element {
 public:
  void put(const Location* location) { location_.store(location, std::memory_order_release); }

  // Where the element is. Waits while it is being swapped.
  const Location& location() const {
    const Location* location;
    while ((location = location_.load(std::memory_order_acquire)) == nullptr) {
      std::this_thread::yield();
    }
    return *location;
  }

  // Makes others wait until it is put back.
  const Location* take() {
    const Location* location;
    while ((location = location_.exchange(nullptr, std::memory_order_acq_rel)) == nullptr) {
      std::this_thread::yield();
    }
    return location;
  }

  std::vector<const Element*> fan_in, fan_out;

 private:
  std::atomic<const Location*> location_{nullptr};
};

void swap_locations(Element& a, Element& b) {
  const bool in_order = std::less<>()(&a, &b);
  Element& first = in_order ? a : b;
  Element& second = in_order ? b : a;
  const Location* from_first = first.take();
  const Location* from_second = second.take();
  first.put(from_second);
  second.put(from_first);
}

// How much longer the wires of an element get by its move; wires to `partner`, which moves the
// other way, stay as long as they are.
std::int64_t stretch(const Element& element, const Element& partner, const Location& from,
                     const Location& to) {
  std::int64_t sum = 0;
  for (const auto* wires : {&element.fan_in, &element.fan_out}) {
    for (const Element* other : *wires) {
      if (other == &partner) continue;
      const Location& end = other->location();
      sum += distance(to, end) - distance(from, end);
    }
  }
  return sum;
}

class Circuit {
 public:
  explicit Circuit(int side)
      : side_(side),
        locations_(static_cast<std::size_t>(side) * side),
        elements_(locations_.size()) {
    for (std::size_t i = 0; i < locations_.size(); ++i) {
      locations_[i] = {static_cast<int>(i) % side, static_cast<int>(i) / side};
    }
    lay_wires();
    shuffle();
  }

  // Returns how much shorter the wires should be by what each swap seemed to gain.
  std::int64_t anneal(const Workload& workload, int threads);

  std::size_t size() const { return elements_.size(); }
  bool has_one_element_everywhere() const;
  std::int64_t wire_length() const;

 private:
  void lay_wires();
  void shuffle();
  std::int64_t make_moves(std::uint64_t moves, double temperature, bench::Random& random);

  const int side_;
  std::vector<Location> locations_;
  std::vector<Element> elements_;
};

// From each element to a few that are near in the order of locations.
void Circuit::lay_wires() {
  bench::Random random(11);
  const auto near = [&](int at) {
    const int step = static_cast<int>(random.below(2 * kWireReach + 1)) - kWireReach;
    return std::clamp(at + step, 0, side_ - 1);
  };
  for (std::size_t i = 0; i < elements_.size(); ++i) {
    for (int n = 0; n < kFanOut; ++n) {
      const Location end{near(locations_[i].x), near(locations_[i].y)};
      Element& other = elements_[static_cast<std::size_t>(end.y * side_ + end.x)];
      if (&other == &elements_[i]) continue;
      elements_[i].fan_out.push_back(&other);
      other.fan_in.push_back(&elements_[i]);
    }
  }
}

void Circuit::shuffle() {
  bench::Random random(12);
  std::vector<const Location*> order;
  for (const Location& location : locations_) order.push_back(&location);
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  for (std::size_t i = 0; i < elements_.size(); ++i) elements_[i].put(order[i]);
}

std::int64_t Circuit::anneal(const Workload& workload, int threads) {
  std::vector<bench::Padded<std::int64_t>> gains(static_cast<std::size_t>(threads));
  std::barrier barrier(threads);
  bench::run_team(threads, [&](int id) {
    bench::Random random(bench::mix(static_cast<std::uint64_t>(id)));
    const auto own = bench::block_of(0, workload.moves, id, threads);
    std::int64_t gain = 0;
    double temperature = side_;
    for (int step = 0; step < workload.temperatures; ++step) {
      gain += make_moves(own.end - own.begin, temperature, random);
      temperature *= kCooling;
      barrier.arrive_and_wait();
    }
    gains[static_cast<std::size_t>(id)].value = gain;
  });
  return std::accumulate(gains.begin(), gains.end(), std::int64_t{0},
                         [](std::int64_t sum, const auto& gain) { return sum + gain.value; });
}

// A swap that makes wires longer is made with a chance that falls with the temperature.
std::int64_t Circuit::make_moves(std::uint64_t moves, double temperature, bench::Random& random) {
  std::int64_t gain = 0;
  for (std::uint64_t i = 0; i < moves; ++i) {
    Element& a = elements_[random.below(elements_.size())];
    Element& b = elements_[random.below(elements_.size())];
    if (&a == &b) continue;
    const Location& at_a = a.location();
    const Location& at_b = b.location();
    const std::int64_t longer = stretch(a, b, at_a, at_b) + stretch(b, a, at_b, at_a);
    const double chance = std::exp(-static_cast<double>(longer) / temperature);
    if (longer > 0 && random.unit() >= chance) continue;
    swap_locations(a, b);
    gain -= longer;
  }
  return gain;
}

bool Circuit::has_one_element_everywhere() const {
  std::vector<int> elements(locations_.size());
  for (const Element& element : elements_) {
    ++elements[static_cast<std::size_t>(&element.location() - locations_.data())];
  }
  return std::all_of(elements.begin(), elements.end(), [](int count) { return count == 1; });
}

std::int64_t Circuit::wire_length() const {
  std::int64_t sum = 0;
  for (const Element& element : elements_) {
    for (const Element* other : element.fan_out)
      sum += distance(element.location(), other->location());
  }
  return sum;
}

bench::Result run(const bench::Options& options, bench::KernelTimer& timer) {
  const Workload& workload = kWorkload[options.size];
  Circuit circuit(workload.side);
  const std::int64_t before = circuit.wire_length();

  timer.start();
  const std::int64_t gain = circuit.anneal(workload, options.threads);
  timer.stop();

  const std::int64_t after = circuit.wire_length();
  const double left = static_cast<double>(after) / static_cast<double>(before);
  const bool valid = circuit.has_one_element_everywhere() && left <= kShortening &&
                     (options.threads > 1 || before - after == gain);
  return {valid,
          bench::format("%zu elements, wires shortened to %.1f %%", circuit.size(), 100 * left),
          bench::kByOrderOfThreads};
}

}  // namespace

int main(int argc, char** argv) {
  return bench::program_main(argc, argv, "annealing", run);
}
