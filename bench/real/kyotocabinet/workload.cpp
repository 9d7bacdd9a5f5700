// Kyoto Cabinet: threads write, read, remove, count and scan in one hash database and one tree
// database, whose cache of pages is small enough that pages are written and read again throughout.
//
// Each thread has keys of its own and keeps maps of what they should hold; counters are
// everybody's. Valid if every read agrees with those maps, the counters have missed nothing, and a
// scan of each database at the end finds exactly the union of the maps and the counters.
#include <kchashdb.h>
#include <kcplantdb.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "bench/programs/common/mix.h"
#include "bench/programs/common/program.h"
#include "bench/programs/common/team.h"
#include "bench/real/common/scratch_folder.h"

namespace {

constexpr bench::BySize<int> kRounds{30, 600, 1'500, 6'000, 24'000};  // of each thread
constexpr int kWritesPerRound = 8;
constexpr int kReadsPerRound = 16;
constexpr std::uint64_t kKeysPerThread = 5'000;
constexpr std::uint64_t kCounters = 16;

using Contents = std::map<std::string, std::string>;
using kyotocabinet::BasicDB;
using Cursor = std::unique_ptr<BasicDB::Cursor>;

std::string key_of(int thread, std::uint64_t number) {
  return bench::format("%03d/%06llu", thread, static_cast<unsigned long long>(number));
}

// After all keys of key_of.
std::string counter_key(std::uint64_t number) {
  return bench::format("counter/%02llu", static_cast<unsigned long long>(number));
}

std::string value_of(std::uint64_t seed) {
  std::string value(40 + seed % 40, 'x');
  for (std::size_t i = 0; i < value.size(); i += 8)
    value[i] = static_cast<char>('a' + bench::mix(seed + i) % 26);
  return value;
}

// One thread's use of a database.
class Client {
 public:
  // sorted: the database keeps its keys in order.
  Client(BasicDB& db, int id, bool sorted)
      : db_(db), id_(id), sorted_(sorted), random_(static_cast<std::uint64_t>(id)) {}

  void run_round(int round) {
    for (int i = 0; i < kWritesPerRound; ++i) write();
    for (int i = 0; i < kReadsPerRound; ++i) read();
    if (sorted_ && round % 16 == 0) scan();
    const std::int64_t count = db_.increment(counter_key(random_.below(kCounters)), 1);
    if (count <= 0) ++wrong_;
  }

  const Contents& expected() const { return expected_; }
  std::uint64_t wrong() const { return wrong_; }

 private:
  std::string random_key() { return key_of(id_, random_.skewed(kKeysPerThread)); }

  void write() {
    const std::string key = random_key();
    if (random_.below(8) == 0) {
      if (db_.remove(key) != (expected_.erase(key) == 1)) ++wrong_;
      return;
    }
    const std::string value = value_of(random_.next());
    bench::require(db_.set(key, value), "set", db_.error().message());
    expected_[key] = value;
  }

  void read() {
    const std::string key = random_key();
    std::string value;
    const bool there = db_.get(key, &value);
    const auto found = expected_.find(key);
    if (there != (found != expected_.end()) || (there && value != found->second)) ++wrong_;
  }

  // The thread's own keys from a random one on.
  void scan() {
    const Cursor cursor(db_.cursor());
    const std::string from = random_key();
    auto expected = expected_.lower_bound(from);
    cursor->jump(from);
    for (int i = 0; i < 20 && expected != expected_.end(); ++i, ++expected) {
      std::string key, value;
      if (!cursor->get(&key, &value, true) || key != expected->first || value != expected->second) {
        ++wrong_;
        break;
      }
    }
  }

  BasicDB& db_;
  const int id_;
  const bool sorted_;
  bench::Random random_;
  Contents expected_;
  std::uint64_t wrong_ = 0;
};

// A database and the client of each thread.
class Bank {
 public:
  Bank(std::unique_ptr<BasicDB> db, const std::string& path, int threads, bool sorted)
      : db_(std::move(db)) {
    bench::require(db_->open(path, BasicDB::OWRITER | BasicDB::OCREATE), "open",
                   db_->error().message());
    for (int id = 0; id < threads; ++id)
      clients_.push_back(std::make_unique<Client>(*db_, id, sorted));
  }

  Client& client(int id) { return *clients_[static_cast<std::size_t>(id)]; }

  bool is_right(int rounds) {
    Contents all;
    std::uint64_t wrong = 0;
    for (const auto& client : clients_) {
      all.insert(client->expected().begin(), client->expected().end());
      wrong += client->wrong();
    }
    std::int64_t counted = 0;
    for (std::uint64_t number = 0; number < kCounters; ++number)
      counted += db_->increment(counter_key(number), 0);
    return wrong == 0 && counted == static_cast<std::int64_t>(clients_.size()) * rounds &&
           holds_exactly(all);
  }

  std::int64_t count() { return db_->count(); }

 private:
  // Beside the counters.
  bool holds_exactly(const Contents& expected) {
    const Cursor cursor(db_->cursor());
    std::size_t seen = 0;
    std::string key, value;
    for (cursor->jump(); cursor->get(&key, &value, true);) {
      if (key.starts_with("counter/")) continue;
      const auto found = expected.find(key);
      if (found == expected.end() || found->second != value) return false;
      ++seen;
    }
    return seen == expected.size();
  }

  std::unique_ptr<BasicDB> db_;
  std::vector<std::unique_ptr<Client>> clients_;
};

std::unique_ptr<BasicDB> small_tree() {
  auto tree = std::make_unique<kyotocabinet::TreeDB>();
  tree->tune_page(1 << 10);
  tree->tune_page_cache(64 << 10);
  tree->tune_buckets(1 << 12);
  return tree;
}

std::unique_ptr<BasicDB> small_hash() {
  auto hash = std::make_unique<kyotocabinet::HashDB>();
  hash->tune_buckets(1 << 14);
  return hash;
}

bench::Result run(const bench::Options& options, bench::KernelTimer& timer) {
  const bench::ScratchFolder folder;
  const int rounds = kRounds[options.size];
  Bank hash(small_hash(), folder.file("bank.kch"), options.threads, false);
  Bank tree(small_tree(), folder.file("bank.kct"), options.threads, true);

  timer.start();
  bench::run_team(options.threads, [&](int id) {
    for (int round = 0; round < rounds; ++round) {
      hash.client(id).run_round(round);
      tree.client(id).run_round(round);
    }
  });
  timer.stop();

  const bool valid = hash.is_right(rounds) && tree.is_right(rounds);
  return {valid, bench::format("%lld records at the end",
                               static_cast<long long>(hash.count() + tree.count()))};
}

}  // namespace

int main(int argc, char** argv) {
  return bench::program_main(argc, argv, "kyotocabinet", run);
}
