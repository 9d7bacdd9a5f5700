// btree_store: bank transfers as transactions on a B-tree with a lock manager. In the spirit of h2
// of the DaCapo suite.
//
// Nodes carry reader-writer latches, taken hand over hand from the root. Records are locked by key
// in a lock manager until their transaction ends; a transaction locks its keys in order, so that
// none can deadlock. Some transactions open new accounts, so that the tree grows and nodes split
// under load.
//
// Valid if no money was made or lost, every account opened is there, and the tree is well formed.
#include <algorithm>
#include <array>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <unordered_set>
#include <utility>
#include <vector>

#include "bench/programs/common/mix.h"
#include "bench/programs/common/program.h"
#include "bench/programs/common/team.h"

namespace {

struct Workload {
  std::uint64_t accounts;
  std::uint64_t transactions;
};

constexpr bench::BySize<Workload> kWorkload{{300, 1'000},
                                            {5'000, 20'000},
                                            {100'000, 300'000},
                                            {400'000, 1'200'000},
                                            {1'600'000, 4'800'000}};
constexpr std::int64_t kOpeningBalance = 1000;
constexpr std::uint64_t kNewAccountEvery = 16;  // one transaction in so many opens an account

using Key = std::uint64_t;
using Balance = std::int64_t;

class BTree {
 public:
  BTree() : root_(std::make_unique<Node>(true)) {}

  std::optional<Balance> find(Key key) const {
    std::shared_lock root_lock(root_latch_);
    const Node* node = root_.get();
    std::shared_lock lock(node->latch);
    root_lock.unlock();
    while (!node->leaf) {
      const Node* child = node->children[node->child_of(key)].get();
      std::shared_lock child_lock(child->latch);
      lock = std::move(child_lock);
      node = child;
    }
    const int slot = node->slot_of(key);
    return node->holds(slot, key) ? std::optional(node->values[slot]) : std::nullopt;
  }

  // Changes the balance of an account. REQUIRES: the key is there.
  void update(Key key, Balance balance) {
    std::shared_lock root_lock(root_latch_);
    Node* node = root_.get();
    if (node->leaf) {
      std::unique_lock lock(node->latch);
      node->values[node->slot_of(key)] = balance;
      return;
    }
    std::shared_lock lock(node->latch);
    root_lock.unlock();
    while (true) {
      Node* child = node->children[node->child_of(key)].get();
      if (child->leaf) {
        std::unique_lock leaf_lock(child->latch);
        lock.unlock();
        child->values[child->slot_of(key)] = balance;
        return;
      }
      std::shared_lock child_lock(child->latch);
      lock = std::move(child_lock);
      node = child;
    }
  }

  // Full nodes are split on the way down, so that a split never has to climb. REQUIRES: the key is
  // new.
  void insert(Key key, Balance balance) {
    std::unique_lock root_lock(root_latch_);
    std::unique_lock lock(root_->latch);  // those already below it may still hold it
    if (root_->is_full()) {
      grow();
      lock.unlock();  // nobody gets to either: parents are latched before their children
      lock = std::unique_lock(root_->latch);
    }
    Node* node = root_.get();
    root_lock.unlock();
    while (!node->leaf) {
      int index = node->child_of(key);
      Node* child = node->children[index].get();
      std::unique_lock child_lock(child->latch);
      if (child->is_full()) {
        node->split_child(index);
        if (key >= node->keys[index]) {
          child = node->children[index + 1].get();
          child_lock = std::unique_lock(child->latch);
        }
      }
      lock = std::move(child_lock);
      node = child;
    }
    node->insert_in_leaf(key, balance);
  }

  struct Audit {
    std::uint64_t accounts = 0;
    Balance money = 0;
    bool well_formed = true;
  };

  // REQUIRES: no other thread uses the tree.
  Audit audit() const {
    Audit result;
    int leaf_depth = -1;
    audit(*root_, 0, 0, ~Key{0}, leaf_depth, result);
    return result;
  }

 private:
  static constexpr int kMaxKeys = 31;

  struct Node {
    explicit Node(bool is_leaf) : leaf(is_leaf) {}

    bool is_full() const { return count == kMaxKeys; }

    // The first slot whose key is not less.
    int slot_of(Key key) const {
      return static_cast<int>(std::lower_bound(keys.begin(), keys.begin() + count, key) -
                              keys.begin());
    }
    bool holds(int slot, Key key) const { return slot < count && keys[slot] == key; }

    // Keys of child i are below keys[i]; a separator belongs to its right.
    int child_of(Key key) const {
      return static_cast<int>(std::upper_bound(keys.begin(), keys.begin() + count, key) -
                              keys.begin());
    }

    void insert_in_leaf(Key key, Balance balance) {
      const int slot = slot_of(key);
      std::copy_backward(keys.begin() + slot, keys.begin() + count, keys.begin() + count + 1);
      std::copy_backward(values.begin() + slot, values.begin() + count, values.begin() + count + 1);
      keys[slot] = key;
      values[slot] = balance;
      ++count;
    }

    // Moves the upper half of a full child into a new right sibling.
    // REQUIRES: this node is not full; both are latched exclusively.
    void split_child(int index) {
      Node& left = *children[index];
      auto right = std::make_unique<Node>(left.leaf);
      constexpr int kMiddle = kMaxKeys / 2;
      const Key separator = left.keys[kMiddle];
      if (left.leaf) {
        std::copy(left.keys.begin() + kMiddle, left.keys.end(), right->keys.begin());
        std::copy(left.values.begin() + kMiddle, left.values.end(), right->values.begin());
        right->count = kMaxKeys - kMiddle;
      } else {
        std::copy(left.keys.begin() + kMiddle + 1, left.keys.end(), right->keys.begin());
        std::move(left.children.begin() + kMiddle + 1, left.children.end(),
                  right->children.begin());
        right->count = kMaxKeys - kMiddle - 1;
      }
      left.count = kMiddle;
      std::copy_backward(keys.begin() + index, keys.begin() + count, keys.begin() + count + 1);
      std::move_backward(children.begin() + index + 1, children.begin() + count + 1,
                         children.begin() + count + 2);
      keys[index] = separator;
      children[index + 1] = std::move(right);
      ++count;
    }

    mutable std::shared_mutex latch;  // guards everything below but `leaf`, which never changes
    const bool leaf;
    int count = 0;
    std::array<Key, kMaxKeys> keys;
    std::array<Balance, kMaxKeys> values;
    std::array<std::unique_ptr<Node>, kMaxKeys + 1> children;
  };

  // REQUIRES: root_latch_ and the root's latch are held exclusively: nobody is on the way to it.
  void grow() {
    auto taller = std::make_unique<Node>(false);
    taller->children[0] = std::move(root_);
    taller->split_child(0);
    root_ = std::move(taller);
  }

  static void audit(const Node& node, int depth, Key low, Key high, int& leaf_depth,
                    Audit& result) {
    const auto first = node.keys.begin(), last = first + node.count;
    result.well_formed &= std::adjacent_find(first, last, std::greater_equal<>()) == last;
    result.well_formed &= node.count == 0 || (low <= *first && *(last - 1) < high);
    if (node.leaf) {
      if (leaf_depth < 0) leaf_depth = depth;
      result.well_formed &= depth == leaf_depth;
      result.accounts += static_cast<std::uint64_t>(node.count);
      for (int i = 0; i < node.count; ++i) result.money += node.values[i];
      return;
    }
    for (int i = 0; i <= node.count; ++i) {
      audit(*node.children[i], depth + 1, i == 0 ? low : node.keys[i - 1],
            i == node.count ? high : node.keys[i], leaf_depth, result);
    }
  }

  mutable std::shared_mutex root_latch_;  // guards which node is the root
  std::unique_ptr<Node> root_;
};

// Exclusive locks on keys, held by transactions.
class LockManager {
 public:
  void lock(Key key) {
    Bucket& bucket = bucket_of(key);
    std::unique_lock lock(bucket.mutex);
    bucket.released.wait(lock, [&] { return !bucket.held.contains(key); });
    bucket.held.insert(key);
  }

  void unlock(Key key) {
    Bucket& bucket = bucket_of(key);
    {
      std::lock_guard lock(bucket.mutex);
      bucket.held.erase(key);
    }
    bucket.released.notify_all();
  }

 private:
  struct Bucket {
    std::mutex mutex;
    std::condition_variable released;
    std::unordered_set<Key> held;  // guarded by mutex
  };

  Bucket& bucket_of(Key key) { return buckets_[bench::mix(key) % buckets_.size()]; }

  std::array<Bucket, 256> buckets_;
};

// The locks of one transaction, all taken at its start and released at its end.
class Transaction {
 public:
  Transaction(LockManager& manager, std::vector<Key> keys)
      : manager_(manager), keys_(std::move(keys)) {
    std::sort(keys_.begin(), keys_.end());
    keys_.erase(std::unique(keys_.begin(), keys_.end()), keys_.end());
    for (Key key : keys_) manager_.lock(key);
  }
  ~Transaction() {
    for (Key key : keys_) manager_.unlock(key);
  }
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;

 private:
  LockManager& manager_;
  std::vector<Key> keys_;
};

class Bank {
 public:
  explicit Bank(std::uint64_t accounts) : accounts_(accounts) {
    for (std::uint64_t i = 0; i < accounts; ++i) tree_.insert(bench::mix(i), kOpeningBalance);
  }

  // Transaction number n of the workload: a transfer between two of the first accounts, or a new
  // account that takes half of an old one's money.
  void execute(std::uint64_t n) {
    bench::Random random(n);
    const Key from = bench::mix(random.skewed(accounts_));
    const bool opens = n % kNewAccountEvery == 0;
    const Key to = opens ? bench::mix(accounts_ + n) : bench::mix(random.below(accounts_));
    const Transaction transaction(locks_, {from, to});
    const Balance available = *tree_.find(from);
    if (opens) {
      tree_.insert(to, available / 2);
      tree_.update(from, available - available / 2);
    } else if (from != to) {
      const auto amount = std::min<Balance>(available, static_cast<Balance>(random.below(100)));
      tree_.update(from, available - amount);
      tree_.update(to, *tree_.find(to) + amount);
    }
  }

  BTree::Audit audit() const { return tree_.audit(); }

 private:
  const std::uint64_t accounts_;
  BTree tree_;
  LockManager locks_;
};

bench::Result run(const bench::Options& options, bench::KernelTimer& timer) {
  const Workload& workload = kWorkload[options.size];
  Bank bank(workload.accounts);

  timer.start();
  bench::run_team(options.threads, [&](int id) {
    const auto threads = static_cast<std::uint64_t>(options.threads);
    for (auto n = static_cast<std::uint64_t>(id); n < workload.transactions; n += threads)
      bank.execute(n);
  });
  timer.stop();

  const BTree::Audit audit = bank.audit();
  const std::uint64_t opened = (workload.transactions + kNewAccountEvery - 1) / kNewAccountEvery;
  const bool valid = audit.well_formed && audit.accounts == workload.accounts + opened &&
                     audit.money == static_cast<Balance>(workload.accounts) * kOpeningBalance;
  return {valid, bench::format("%llu transactions, %llu accounts",
                               static_cast<unsigned long long>(workload.transactions),
                               static_cast<unsigned long long>(audit.accounts))};
}

}  // namespace

int main(int argc, char** argv) {
  return bench::program_main(argc, argv, "btree_store", run);
}
