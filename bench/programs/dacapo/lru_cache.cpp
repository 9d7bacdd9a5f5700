// lru_cache: worker threads serve requests from a queue out of a shared cache that forgets what was
// used least recently. In the spirit of the servers of the DaCapo suite.
//
// The cache is split into shards: a hash map into a list in order of use, under one lock. Values
// are shared with those who read them, so that they outlive their eviction. Each worker first loads
// some keys of its own; then all take batches of requests, skewed towards few keys, from one queue.
//
// Valid if every value served belongs to its key, requests were hits or misses and none was lost,
// and no shard is over its capacity or out of order.
//
// The racy variant counts hits and misses outside the lock. Each worker's last count before the
// barrier races with those of the others in every schedule.
#include <array>
#include <barrier>
#include <condition_variable>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <queue>
#include <unordered_map>
#include <vector>

#include "bench/programs/common/mix.h"
#include "bench/programs/common/program.h"
#include "bench/programs/common/team.h"

namespace {

struct Workload {
  std::uint64_t keys;
  std::uint64_t capacity;
  std::uint64_t batches;
};

constexpr bench::BySize<Workload> kWorkload{{500, 64, 20},
                                            {10'000, 1'000, 600},
                                            {100'000, 10'000, 24'000},
                                            {400'000, 40'000, 80'000},
                                            {1'600'000, 160'000, 320'000}};
constexpr std::size_t kShards = 16;
constexpr std::size_t kBatch = 64;
constexpr std::uint64_t kWarmUpKeys = 32;

using Key = std::uint64_t;

struct Value {
  explicit Value(Key key) {
    for (std::size_t i = 0; i < words.size(); ++i) words[i] = bench::mix(key + i);
  }

  bool belongs_to(Key key) const {
    for (std::size_t i = 0; i < words.size(); ++i) {
      if (words[i] != bench::mix(key + i)) return false;
    }
    return true;
  }

  std::array<std::uint64_t, 12> words;
};

using SharedValue = std::shared_ptr<const Value>;

struct Statistics {
  std::uint64_t hits = 0;
  std::uint64_t misses = 0;

  void count(bool hit) { hit ? ++hits : ++misses; }
};

class Cache {
 public:
  explicit Cache(std::uint64_t capacity) : shard_capacity_(capacity / kShards) {}

  SharedValue get(Key key) {
    Shard& shard = shards_[bench::mix(key) % kShards];
    std::unique_lock lock(shard.mutex);
    const auto found = shard.index.find(key);
    const bool hit = found != shard.index.end();
    if (hit) {
      shard.by_use.splice(shard.by_use.begin(), shard.by_use, found->second);
    } else {
      add(shard, key);
    }
    SharedValue value = shard.by_use.front().value;
    if constexpr (bench::kRacy) {
      lock.unlock();
      racy_statistics_.count(hit);
    } else {
      shard.statistics.count(hit);
    }
    return value;
  }

  // What follows REQUIRES: no other thread uses the cache.

  Statistics statistics() const {
    Statistics sum = racy_statistics_;
    for (const Shard& shard : shards_) {
      sum.hits += shard.statistics.hits;
      sum.misses += shard.statistics.misses;
    }
    return sum;
  }

  bool is_consistent() const {
    for (const Shard& shard : shards_) {
      if (shard.index.size() != shard.by_use.size() || shard.index.size() > shard_capacity_)
        return false;
      for (auto entry = shard.by_use.begin(); entry != shard.by_use.end(); ++entry) {
        const auto found = shard.index.find(entry->key);
        if (found == shard.index.end() || &*found->second != &*entry) return false;
      }
    }
    return true;
  }

 private:
  struct Entry {
    Key key;
    SharedValue value;
  };

  struct Shard {
    std::mutex mutex;         // guards everything below
    std::list<Entry> by_use;  // latest first
    std::unordered_map<Key, std::list<Entry>::iterator> index;
    Statistics statistics;
  };

  void add(Shard& shard, Key key) {
    if (shard.index.size() == shard_capacity_) {
      shard.index.erase(shard.by_use.back().key);
      shard.by_use.pop_back();
    }
    shard.by_use.push_front({key, std::make_shared<const Value>(key)});
    shard.index.emplace(key, shard.by_use.begin());
  }

  const std::uint64_t shard_capacity_;
  std::array<Shard, kShards> shards_;
  Statistics racy_statistics_;
};

using Batch = std::array<Key, kBatch>;

class RequestQueue {
 public:
  void push(const Batch& batch) {
    {
      std::lock_guard lock(mutex_);
      batches_.push(batch);
    }
    arrived_.notify_one();
  }

  void close() {
    {
      std::lock_guard lock(mutex_);
      closed_ = true;
    }
    arrived_.notify_all();
  }

  std::optional<Batch> pop() {
    std::unique_lock lock(mutex_);
    arrived_.wait(lock, [this] { return !batches_.empty() || closed_; });
    if (batches_.empty()) return std::nullopt;
    const Batch batch = batches_.front();
    batches_.pop();
    return batch;
  }

 private:
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::queue<Batch> batches_;  // guarded by mutex_, as is closed_
  bool closed_ = false;
};

Batch make_batch(std::uint64_t number, std::uint64_t keys) {
  bench::Random random(number);
  Batch batch;
  for (Key& key : batch) key = random.skewed(keys);
  return batch;
}

struct Served {
  std::uint64_t requests = 0;
  std::uint64_t wrong = 0;
};

class Server {
 public:
  Server(const Workload& workload, int threads)
      : workload_(workload),
        threads_(threads),
        cache_(std::make_unique<Cache>(workload.capacity)),
        barrier_(threads + 1),
        served_(static_cast<std::size_t>(threads)) {}

  // The calling thread is the one that requests come from.
  void run() {
    bench::run_team(threads_ + 1, [this](int id) { id == 0 ? send_requests() : serve(id - 1); });
  }

  bool is_valid() const {
    Served sum;
    for (const auto& served : served_) {
      sum.requests += served.value.requests;
      sum.wrong += served.value.wrong;
    }
    const Statistics statistics = cache_->statistics();
    const std::uint64_t expected =
        workload_.batches * kBatch + static_cast<std::uint64_t>(threads_) * kWarmUpKeys;
    return sum.wrong == 0 && sum.requests == expected &&
           statistics.hits + statistics.misses == expected && cache_->is_consistent();
  }

  double hit_ratio() const {
    const Statistics s = cache_->statistics();
    return static_cast<double>(s.hits) / static_cast<double>(s.hits + s.misses);
  }

 private:
  void send_requests() {
    barrier_.arrive_and_wait();
    for (std::uint64_t i = 0; i < workload_.batches; ++i)
      queue_.push(make_batch(i, workload_.keys));
    queue_.close();
  }

  void serve(int worker) {
    Served& served = served_[static_cast<std::size_t>(worker)].value;
    const Key first = static_cast<Key>(worker) * kWarmUpKeys;
    for (Key key = first; key < first + kWarmUpKeys; ++key) serve_one(key, served);
    barrier_.arrive_and_wait();
    while (const auto batch = queue_.pop()) {
      for (Key key : *batch) serve_one(key, served);
    }
  }

  void serve_one(Key key, Served& served) {
    ++served.requests;
    if (!cache_->get(key)->belongs_to(key)) ++served.wrong;
  }

  const Workload workload_;
  const int threads_;
  std::unique_ptr<Cache> cache_;
  RequestQueue queue_;
  std::barrier<> barrier_;
  std::vector<bench::Padded<Served>> served_;  // by worker, read after they are joined
};

bench::Result run(const bench::Options& options, bench::KernelTimer& timer) {
  const Workload& workload = kWorkload[options.size];
  Server server(workload, options.threads);
  timer.start();
  server.run();
  timer.stop();
  return {server.is_valid(),
          bench::format("%llu requests, %.1f %% hits",
                        static_cast<unsigned long long>(workload.batches * kBatch),
                        100 * server.hit_ratio()),
          bench::kByOrderOfThreads};
}

}  // namespace

int main(int argc, char** argv) {
  return bench::program_main(argc, argv, "lru_cache", run);
}
