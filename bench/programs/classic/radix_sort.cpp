// radix_sort: sorts 30-bit keys by three digits of 10 bits, the lowest first (the shape of the
// radix sort of SPLASH-2).
//
// In each pass every thread counts the digits of its block of keys, the counts are summed up in a
// binary tree of threads, and every thread moves its keys to where its counts say, in the other
// array: scattered writes that come from all threads and never meet. Up the tree a node adds its
// children's counts; down the tree it tells them how many keys of each digit go before theirs. Both
// ways the thread of the other child is waited for by a flag: the number of the pass, which only
// grows, so that no flag is ever reset. A barrier ends the pass.
//
// Valid if the keys are in order and are those of the input, by the sum of a hash of each.
#include <array>
#include <atomic>
#include <barrier>
#include <cstdint>
#include <utility>
#include <vector>

#include "bench/programs/common/mix.h"
#include "bench/programs/common/program.h"
#include "bench/programs/common/team.h"

namespace {

using Key = std::uint32_t;

constexpr bench::BySize<std::size_t> kKeys{20'000, 2'000'000, 8'000'000, 24'000'000, 64'000'000};
constexpr int kDigitBits = 10;
constexpr int kPasses = 3;
constexpr std::size_t kDigits = 1u << kDigitBits;

using Counts = std::array<std::uint32_t, kDigits>;

std::size_t digit_of(Key key, int pass) {
  return key >> (pass * kDigitBits) & (kDigits - 1);
}

// Set to a pass once and waited for by one thread.
class Flag {
 public:
  void set(int pass) {
    pass_.store(pass, std::memory_order_release);
    pass_.notify_one();
  }
  void wait_for(int pass) const {
    for (int seen; (seen = pass_.load(std::memory_order_acquire)) != pass;) pass_.wait(seen);
  }

 private:
  std::atomic<int> pass_{-1};
};

// What a range of threads has counted. Its first thread writes `counts` and, but for a right child,
// `before`.
struct alignas(64) Node {
  Counts counts{};
  Counts before{};  // keys that go before those of this range, for each digit
  Flag counted;     // set by a right child
  Flag told;        // set for a right child
};

// levels_[l][id] is the node of threads [id, id + 2^l); there is one for every id that 2^l divides.
class SumTree {
 public:
  explicit SumTree(int threads) : threads_(threads) {
    levels_.emplace_back(static_cast<std::size_t>(threads));
    for (int width = 1; width < threads; width *= 2) {
      levels_.emplace_back(static_cast<std::size_t>(threads));
    }
  }

  Node& leaf(int id) { return node(0, id); }

  // Called by every thread when its leaf's counts are there; its leaf's `before` is when it
  // returns.
  void sum_up(int id, int pass) {
    int level = 0;
    for (int width = 1; width < threads_ && id % (2 * width) == 0; width *= 2, ++level) {
      add_children(level, id, width, pass);
    }
    if (id == 0) {
      place_all(node(level, 0));
    } else {
      node(level, id).counted.set(pass);
      node(level, id).told.wait_for(pass);
    }
    while (level-- > 0) tell_children(level, id, 1 << level, pass);
  }

 private:
  Node& node(int level, int id) {
    return levels_[static_cast<std::size_t>(level)][static_cast<std::size_t>(id)];
  }

  void add_children(int level, int id, int width, int pass) {
    Node& parent = node(level + 1, id);
    parent.counts = node(level, id).counts;
    if (id + width >= threads_) return;
    const Node& right = node(level, id + width);
    right.counted.wait_for(pass);
    for (std::size_t d = 0; d < kDigits; ++d) parent.counts[d] += right.counts[d];
  }

  static void place_all(Node& root) {
    std::uint32_t before = 0;
    for (std::size_t d = 0; d < kDigits; ++d) {
      root.before[d] = before;
      before += root.counts[d];
    }
  }

  void tell_children(int level, int id, int width, int pass) {
    const Node& parent = node(level + 1, id);
    Node& left = node(level, id);
    left.before = parent.before;
    if (id + width >= threads_) return;
    Node& right = node(level, id + width);
    for (std::size_t d = 0; d < kDigits; ++d) right.before[d] = left.before[d] + left.counts[d];
    right.told.set(pass);
  }

  int threads_;
  std::vector<std::vector<Node>> levels_;
};

void count(const std::vector<Key>& keys, bench::Range own, int pass, Counts& counts) {
  counts.fill(0);
  for (std::size_t i = own.begin; i < own.end; ++i) ++counts[digit_of(keys[i], pass)];
}

void permute(const std::vector<Key>& from, std::vector<Key>& to, bench::Range own, int pass,
             Counts& next) {
  for (std::size_t i = own.begin; i < own.end; ++i) to[next[digit_of(from[i], pass)]++] = from[i];
}

// Leaves the result in `keys` or, after an odd number of passes, in `other`.
void sort_in_parallel(std::vector<Key>& keys, std::vector<Key>& other, int threads) {
  SumTree tree(threads);
  std::barrier barrier(threads);
  bench::run_team(threads, [&](int id) {
    const auto own = bench::block_of(0, keys.size(), id, threads);
    std::vector<Key>*from = &keys, *to = &other;
    for (int pass = 0; pass < kPasses; ++pass) {
      Node& leaf = tree.leaf(id);
      count(*from, own, pass, leaf.counts);
      tree.sum_up(id, pass);
      permute(*from, *to, own, pass, leaf.before);
      barrier.arrive_and_wait();
      std::swap(from, to);
    }
  });
}

bool is_sorted_permutation(const std::vector<Key>& keys, std::uint64_t expected_sum) {
  std::uint64_t sum = 0;
  Key previous = 0;
  for (const Key key : keys) {
    if (key < previous) return false;
    sum += bench::mix(key);
    previous = key;
  }
  return sum == expected_sum;
}

bench::Result run(const bench::Options& options, bench::KernelTimer& timer) {
  static_assert(kPasses % 2 == 1, "the result is in the other array");
  std::vector<Key> keys(kKeys[options.size]), other(keys.size());
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    keys[i] = static_cast<Key>(bench::mix(i)) >> (32 - kPasses * kDigitBits);
    sum += bench::mix(keys[i]);
  }

  timer.start();
  sort_in_parallel(keys, other, options.threads);
  timer.stop();

  return {is_sorted_permutation(other, sum), bench::format("%zu keys, hash %016llx", keys.size(),
                                                           static_cast<unsigned long long>(sum))};
}

}  // namespace

int main(int argc, char** argv) {
  return bench::program_main(argc, argv, "radix_sort", run);
}
