// LevelDB: threads write, delete, read and scan in one database whose write buffer is small enough
// that the background thread flushes and compacts throughout.
//
// Each thread has keys of its own and keeps a map of what they should hold. Valid if every read
// agrees with that map and a scan of the whole database at the end finds exactly the union of the
// maps.
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "bench/programs/common/mix.h"
#include "bench/programs/common/program.h"
#include "bench/programs/common/team.h"
#include "bench/real/common/scratch_folder.h"
#include "leveldb/cache.h"
#include "leveldb/db.h"
#include "leveldb/filter_policy.h"
#include "leveldb/value_sink.h"
#include "leveldb/write_batch.h"

namespace {

constexpr bench::BySize<int> kRounds{30, 300, 1'500, 6'000, 24'000};  // of each thread
constexpr int kWritesPerRound = 16;
constexpr int kReadsPerRound = 24;
constexpr std::uint64_t kKeysPerThread = 20'000;

using Contents = std::map<std::string, std::string>;

std::string key_of(int thread, std::uint64_t number) {
  return bench::format("%03d/%06llu", thread, static_cast<unsigned long long>(number));
}

std::string value_of(std::uint64_t seed) {
  std::string value(100 + seed % 100, 'x');
  for (std::size_t i = 0; i < value.size(); i += 8)
    value[i] = static_cast<char>('a' + bench::mix(seed + i) % 26);
  return value;
}

// One thread's use of the database.
class Client {
 public:
  Client(leveldb::DB& db, int id) : db_(db), id_(id), random_(static_cast<std::uint64_t>(id)) {}

  void run(int rounds) {
    for (int round = 0; round < rounds; ++round) {
      write();
      read();
      if (round % 16 == 0) scan();
    }
  }

  const Contents& expected() const { return expected_; }
  std::uint64_t wrong() const { return wrong_; }

 private:
  std::string random_key() { return key_of(id_, random_.skewed(kKeysPerThread)); }

  void write() {
    leveldb::WriteBatch batch;
    for (int i = 0; i < kWritesPerRound; ++i) {
      const std::string key = random_key();
      if (random_.below(8) == 0) {
        batch.Delete(key);
        expected_.erase(key);
      } else {
        const std::string value = value_of(random_.next());
        batch.Put(key, value);
        expected_[key] = value;
      }
    }
    const leveldb::Status status = db_.Write(leveldb::WriteOptions(), &batch);
    bench::require(status.ok(), "Write", status.ToString().c_str());
  }

  void read() {
    for (int i = 0; i < kReadsPerRound; ++i) {
      const std::string key = random_key();
      std::string value;
      leveldb::StringValueSink sink(
          &value);  // the package's LevelDB reads into a sink, not a string
      const leveldb::Status status = db_.Get(leveldb::ReadOptions(), key, &sink);
      const auto found = expected_.find(key);
      const bool right =
          found == expected_.end() ? status.IsNotFound() : status.ok() && value == found->second;
      if (!right) ++wrong_;
    }
  }

  // The thread's own keys from a random one on, in a snapshot.
  void scan() {
    leveldb::ReadOptions options;
    options.snapshot = db_.GetSnapshot();
    const std::unique_ptr<leveldb::Iterator> cursor(db_.NewIterator(options));
    const std::string from = random_key();
    auto expected = expected_.lower_bound(from);
    cursor->Seek(from);
    for (int i = 0; i < 50 && expected != expected_.end(); ++i, ++expected, cursor->Next()) {
      if (!cursor->Valid() || cursor->key() != expected->first ||
          cursor->value() != expected->second) {
        ++wrong_;
        break;
      }
    }
    db_.ReleaseSnapshot(options.snapshot);
  }

  leveldb::DB& db_;
  const int id_;
  bench::Random random_;
  Contents expected_;
  std::uint64_t wrong_ = 0;
};

bool holds_exactly(leveldb::DB& db, const Contents& expected) {
  const std::unique_ptr<leveldb::Iterator> cursor(db.NewIterator(leveldb::ReadOptions()));
  auto next = expected.begin();
  for (cursor->SeekToFirst(); cursor->Valid(); cursor->Next(), ++next) {
    if (next == expected.end() || cursor->key() != next->first || cursor->value() != next->second)
      return false;
  }
  return next == expected.end() && cursor->status().ok();
}

bench::Result run(const bench::Options& options, bench::KernelTimer& timer) {
  const bench::ScratchFolder folder;
  const std::unique_ptr<leveldb::Cache> cache(leveldb::NewLRUCache(1 << 20));
  const std::unique_ptr<const leveldb::FilterPolicy> filter(leveldb::NewBloomFilterPolicy(10));
  leveldb::Options settings;
  settings.create_if_missing = true;
  settings.write_buffer_size = 256 << 10;
  settings.block_cache = cache.get();
  settings.filter_policy = filter.get();
  leveldb::DB* opened = nullptr;
  const leveldb::Status status = leveldb::DB::Open(settings, folder.file("db"), &opened);
  bench::require(status.ok(), "Open", status.ToString().c_str());
  const std::unique_ptr<leveldb::DB> db(opened);
  std::vector<std::unique_ptr<Client>> clients;
  for (int id = 0; id < options.threads; ++id) clients.push_back(std::make_unique<Client>(*db, id));

  timer.start();
  bench::run_team(options.threads, [&](int id) {
    clients[static_cast<std::size_t>(id)]->run(kRounds[options.size]);
  });
  timer.stop();

  Contents all;
  std::uint64_t wrong = 0;
  for (const auto& client : clients) {
    all.insert(client->expected().begin(), client->expected().end());
    wrong += client->wrong();
  }
  return {wrong == 0 && holds_exactly(*db, all), bench::format("%zu keys at the end", all.size())};
}

}  // namespace

int main(int argc, char** argv) {
  return bench::program_main(argc, argv, "leveldb", run);
}
