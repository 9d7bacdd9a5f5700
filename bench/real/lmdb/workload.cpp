// LMDB: threads take turns in write transactions and read in concurrent read transactions on one
// memory-mapped B+tree.
//
// Each thread has keys of its own, and a counter that all of them raise. Valid if every read
// transaction sees what the thread last committed, the common counter equals the number of commits,
// and all keys are there at the end.
#include <lmdb.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "bench/programs/common/mix.h"
#include "bench/programs/common/program.h"
#include "bench/programs/common/team.h"
#include "bench/real/common/scratch_folder.h"

namespace {

constexpr bench::BySize<std::uint64_t> kRounds{20, 300, 2'000, 8'000, 32'000};  // of each thread
constexpr std::uint64_t kWritesPerRound = 12;
constexpr std::uint64_t kReadsPerRound = 40;
constexpr std::uint64_t kKeysPerThread = 4'000;
constexpr std::size_t kMapBytes = std::size_t{1} << 30;

void check(int code, const char* what) {
  bench::require(code == MDB_SUCCESS, what, mdb_strerror(code));
}

struct Key {
  std::uint32_t thread;
  std::uint32_t number;
};
constexpr Key kCounterKey{~0u, 0};

template <typename T>
MDB_val view(const T& object) {
  return {sizeof object, const_cast<T*>(&object)};
}

class Environment {
 public:
  Environment(const std::string& path, int threads) {
    check(mdb_env_create(&env_), "mdb_env_create");
    check(mdb_env_set_mapsize(env_, kMapBytes), "mdb_env_set_mapsize");
    check(mdb_env_set_maxreaders(env_, static_cast<unsigned>(threads) + 8),
          "mdb_env_set_maxreaders");
    check(mdb_env_open(env_, path.c_str(), MDB_NOSUBDIR | MDB_NOSYNC | MDB_NOTLS, 0600),
          "mdb_env_open");
    MDB_txn* txn = nullptr;
    check(mdb_txn_begin(env_, nullptr, 0, &txn), "mdb_txn_begin");
    check(mdb_dbi_open(txn, nullptr, 0, &table_), "mdb_dbi_open");
    const std::uint64_t no_commits = 0;
    MDB_val key = view(kCounterKey), value = view(no_commits);
    check(mdb_put(txn, table_, &key, &value, 0), "mdb_put");
    check(mdb_txn_commit(txn), "mdb_txn_commit");
  }
  ~Environment() { mdb_env_close(env_); }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

  MDB_env* env() const { return env_; }
  MDB_dbi table() const { return table_; }

 private:
  MDB_env* env_ = nullptr;
  MDB_dbi table_ = 0;
};

class Transaction {
 public:
  Transaction(const Environment& environment, unsigned flags) : table_(environment.table()) {
    check(mdb_txn_begin(environment.env(), nullptr, flags, &txn_), "mdb_txn_begin");
  }
  ~Transaction() {
    if (txn_ != nullptr) mdb_txn_abort(txn_);
  }
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;

  // 0 if the key is not there.
  std::uint64_t get(const Key& key) const {
    MDB_val k = view(key), v;
    const int code = mdb_get(txn_, table_, &k, &v);
    if (code == MDB_NOTFOUND) return 0;
    check(code, "mdb_get");
    std::uint64_t value;
    std::memcpy(&value, v.mv_data, sizeof value);
    return value;
  }

  void put(const Key& key, std::uint64_t value) {
    MDB_val k = view(key), v = view(value);
    check(mdb_put(txn_, table_, &k, &v, 0), "mdb_put");
  }

  void commit() {
    check(mdb_txn_commit(txn_), "mdb_txn_commit");
    txn_ = nullptr;
  }

 private:
  MDB_dbi table_;
  MDB_txn* txn_ = nullptr;
};

class Client {
 public:
  Client(const Environment& environment, int id)
      : environment_(environment),
        id_(static_cast<std::uint32_t>(id)),
        random_(static_cast<std::uint64_t>(id)),
        expected_(kKeysPerThread) {}

  void run(std::uint64_t rounds) {
    for (std::uint64_t round = 0; round < rounds; ++round) {
      write();
      read();
    }
  }

  std::uint64_t wrong() const { return wrong_; }

  void read_all() {
    const Transaction transaction(environment_, MDB_RDONLY);
    for (std::uint32_t i = 0; i < kKeysPerThread; ++i)
      wrong_ += transaction.get({id_, i}) != expected_[i];
  }

 private:
  std::uint32_t random_number() {
    return static_cast<std::uint32_t>(random_.skewed(kKeysPerThread));
  }

  void write() {
    Transaction transaction(environment_, 0);
    for (std::uint64_t i = 0; i < kWritesPerRound; ++i) {
      const std::uint32_t number = random_number();
      expected_[number] = random_.next() | 1;
      transaction.put({id_, number}, expected_[number]);
    }
    transaction.put(kCounterKey, transaction.get(kCounterKey) + 1);
    transaction.commit();
  }

  void read() {
    const Transaction transaction(environment_, MDB_RDONLY);
    for (std::uint64_t i = 0; i < kReadsPerRound; ++i) {
      const std::uint32_t number = random_number();
      wrong_ += transaction.get({id_, number}) != expected_[number];
    }
  }

  const Environment& environment_;
  const std::uint32_t id_;
  bench::Random random_;
  std::vector<std::uint64_t> expected_;
  std::uint64_t wrong_ = 0;
};

bench::Result run(const bench::Options& options, bench::KernelTimer& timer) {
  const bench::ScratchFolder folder;
  const Environment environment(folder.file("data.mdb"), options.threads);
  std::vector<std::unique_ptr<Client>> clients;
  for (int id = 0; id < options.threads; ++id)
    clients.push_back(std::make_unique<Client>(environment, id));
  const std::uint64_t rounds = kRounds[options.size];

  timer.start();
  bench::run_team(options.threads,
                  [&](int id) { clients[static_cast<std::size_t>(id)]->run(rounds); });
  timer.stop();

  std::uint64_t wrong = 0;
  for (const auto& client : clients) {
    client->read_all();
    wrong += client->wrong();
  }
  const std::uint64_t commits = Transaction(environment, MDB_RDONLY).get(kCounterKey);
  return {wrong == 0 && commits == rounds * static_cast<std::uint64_t>(options.threads),
          bench::format("%llu commits", static_cast<unsigned long long>(commits))};
}

}  // namespace

int main(int argc, char** argv) {
  return bench::program_main(argc, argv, "lmdb", run);
}
