// SQLite: threads with a connection each insert, update and query one database in write-ahead-log
// mode.
//
// Valid if each thread's queries agree with what it has committed, if the whole adds up at the end,
// and if SQLite's own integrity check passes.
#include <sqlite3.h>

#include <cstdint>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "bench/programs/common/mix.h"
#include "bench/programs/common/program.h"
#include "bench/programs/common/team.h"
#include "bench/real/common/scratch_folder.h"

namespace {

constexpr bench::BySize<int> kTransactions{5, 60, 400, 1'600, 6'400};  // of each thread
constexpr int kRowsPerTransaction = 40;
constexpr int kBusyMilliseconds = 120'000;

class Statement;

class Connection {
 public:
  explicit Connection(const std::string& path) {
    check(sqlite3_open(path.c_str(), &db_), "sqlite3_open");
    sqlite3_busy_timeout(db_, kBusyMilliseconds);
  }
  ~Connection() { sqlite3_close(db_); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void execute(const char* sql) { check(sqlite3_exec(db_, sql, nullptr, nullptr, nullptr), sql); }
  void check(int code, const char* what) const {
    bench::require(code == SQLITE_OK, what, sqlite3_errmsg(db_));
  }
  sqlite3* handle() const { return db_; }

 private:
  sqlite3* db_ = nullptr;
};

class Statement {
 public:
  Statement(const Connection& connection, const char* sql) : connection_(connection) {
    connection.check(sqlite3_prepare_v2(connection.handle(), sql, -1, &statement_, nullptr), sql);
  }
  ~Statement() { sqlite3_finalize(statement_); }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  template <typename... Values>
  void run(Values... values) {
    start(values...);
    bench::require(sqlite3_step(statement_) == SQLITE_DONE, "step",
                   sqlite3_errmsg(connection_.handle()));
    sqlite3_reset(statement_);
  }

  // The first column of the first row.
  template <typename... Values>
  std::int64_t query(Values... values) {
    start(values...);
    bench::require(sqlite3_step(statement_) == SQLITE_ROW, "step",
                   sqlite3_errmsg(connection_.handle()));
    const std::int64_t result = sqlite3_column_int64(statement_, 0);
    sqlite3_reset(statement_);
    return result;
  }

 private:
  template <typename... Values>
  void start(Values... values) {
    int index = 0;
    (connection_.check(bind(++index, values), "bind"), ...);
  }
  int bind(int index, std::int64_t value) { return sqlite3_bind_int64(statement_, index, value); }
  int bind(int index, const char* value) {
    return sqlite3_bind_text(statement_, index, value, -1, SQLITE_TRANSIENT);
  }

  const Connection& connection_;
  sqlite3_stmt* statement_ = nullptr;
};

constexpr const char* kSchema =
    "CREATE TABLE item(id INTEGER PRIMARY KEY, owner INTEGER, amount INTEGER, name TEXT);"
    "CREATE INDEX item_by_owner ON item(owner, amount);"
    "CREATE TABLE total(owner INTEGER PRIMARY KEY, amount INTEGER);";

// Returns the amount that the owner has in the end; a negative number if a query disagreed on the
// way.
std::int64_t run_client(const std::string& path, std::int64_t owner, int transactions) {
  Connection connection(path);
  Statement insert(connection, "INSERT INTO item(owner, amount, name) VALUES(?1, ?2, ?3)");
  Statement raise(connection, "UPDATE total SET amount = amount + ?2 WHERE owner = ?1");
  Statement sum(connection, "SELECT sum(amount) FROM item WHERE owner = ?1");
  Statement large(connection, "SELECT count(*) FROM item WHERE owner = ?1 AND amount >= 500");
  bench::Random random(static_cast<std::uint64_t>(owner));
  std::int64_t amount = 0, large_items = 0;
  for (int t = 0; t < transactions; ++t) {
    connection.execute("BEGIN IMMEDIATE");
    std::int64_t added = 0;
    for (int i = 0; i < kRowsPerTransaction; ++i) {
      const auto value = static_cast<std::int64_t>(random.below(1000));
      insert.run(owner, value, bench::format("item %d of transaction %d", i, t).c_str());
      added += value;
      large_items += value >= 500;
    }
    raise.run(owner, added);
    connection.execute("COMMIT");
    amount += added;
    if (sum.query(owner) != amount || large.query(owner) != large_items) return -1;
  }
  return amount;
}

bench::Result run(const bench::Options& options, bench::KernelTimer& timer) {
  const bench::ScratchFolder folder;
  const std::string path = folder.file("test.db");
  Connection connection(path);
  connection.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF;");
  connection.execute(kSchema);
  Statement open_total(connection, "INSERT INTO total VALUES(?1, 0)");
  for (std::int64_t owner = 0; owner < options.threads; ++owner) open_total.run(owner);
  std::vector<std::int64_t> amounts(static_cast<std::size_t>(options.threads));

  timer.start();
  bench::run_team(options.threads, [&](int id) {
    amounts[static_cast<std::size_t>(id)] = run_client(path, id, kTransactions[options.size]);
  });
  timer.stop();

  bool valid = Statement(connection,
                         "SELECT count(*) FROM pragma_integrity_check WHERE integrity_check = 'ok'")
                   .query() == 1;
  Statement total(connection, "SELECT amount FROM total WHERE owner = ?1");
  for (std::size_t owner = 0; owner < amounts.size(); ++owner) {
    valid &= total.query(static_cast<std::int64_t>(owner)) == amounts[owner];
  }
  const std::int64_t rows = Statement(connection, "SELECT count(*) FROM item").query();
  valid &=
      rows == std::int64_t{options.threads} * kTransactions[options.size] * kRowsPerTransaction;
  return {valid, bench::format("%lld rows", static_cast<long long>(rows))};
}

}  // namespace

int main(int argc, char** argv) {
  return bench::program_main(argc, argv, "sqlite", run);
}
