// The load on memcached: several connections for each of its worker threads, each with keys of its
// own and a memory of what they hold, and one counter that all of them increment.
//
// Valid if every answer is the expected one and the counter has counted all.
#include <optional>
#include <vector>

#include "bench/programs/common/program.h"
#include "bench/programs/common/team.h"
#include "bench/real/common/load.h"

namespace {

constexpr bench::BySize<int> kRequests{8'000, 60'000, 400'000, 1'600'000, 6'400'000};  // of all
constexpr int kConnectionsPerThread = 4;
constexpr int kClientThreads = 2;
constexpr int kBatch = 60;  // requests
constexpr std::uint64_t kKeys = 2'000;

class Client {
 public:
  Client(int id, bench::Connection connection)
      : id_(static_cast<std::uint64_t>(id)), random_(id_), connection_(std::move(connection)) {}

  void send() {
    batch_ = {};
    for (int i = 0; i < kBatch; ++i) add_request();
    connection_.send(batch_.requests);
  }
  void receive() { right_ = connection_.receives(batch_.answers) && right_; }

  bool right() const { return right_; }
  std::uint64_t increments() const { return increments_; }

 private:
  void add_request() {
    const std::uint64_t number = random_.skewed(kKeys);
    std::optional<std::uint64_t>& held = held_[number];
    const std::string key =
        bench::format("client%d:key%d", static_cast<int>(id_), static_cast<int>(number));
    switch (random_.below(16)) {
      case 0:
      case 1:
      case 2:
      case 3:
        held = random_.next();
        ask("set " + key + " 0 0 " + std::to_string(values_[*held].size()) + "\r\n" +
                std::string(values_[*held]),
            "STORED");
        break;
      case 4:
        ask("delete " + key, held ? "DELETED" : "NOT_FOUND");
        held.reset();
        break;
      case 5:
        ask("touch " + key + " 0", held ? "TOUCHED" : "NOT_FOUND");
        break;
      case 6:
        ++increments_;
        batch_.requests += "incr counter 1 noreply\r\n";
        break;
      default:
        ask("get " + key, held ? "VALUE " + key + " 0 " + std::to_string(values_[*held].size()) +
                                     "\r\n" + std::string(values_[*held]) + "\r\nEND"
                               : "END");
    }
  }

  void ask(const std::string& request, const std::string& answer) {
    batch_.requests += request + "\r\n";
    batch_.answers += answer + "\r\n";
  }

  const std::uint64_t id_;
  const bench::Values values_;
  bench::Random random_;
  bench::Connection connection_;
  std::vector<std::optional<std::uint64_t>> held_ =
      std::vector<std::optional<std::uint64_t>>(kKeys);
  bench::Batch batch_;
  bool right_ = true;
  std::uint64_t increments_ = 0;
};

// memcached ends at a signal, which it sees when its listening thread has something to do.
void end_server() {
  kill(getppid(), SIGTERM);
  bench::Connection().connect();
}

bench::Result run(const bench::Options& options, bench::KernelTimer& timer) {
  bench::Connection control = bench::first_connection();
  control.send("set counter 0 0 1\r\n0\r\n");
  bool right = control.receives("STORED\r\n");
  std::vector<Client> clients;
  for (int id = 0; id < kConnectionsPerThread * options.threads; ++id)
    clients.emplace_back(id, bench::connection());
  const int batches = kRequests[options.size] / kBatch / static_cast<int>(clients.size());

  timer.start();
  bench::run_team(kClientThreads, [&](int id) {
    const bench::Range mine = bench::block_of(0, clients.size(), id, kClientThreads);
    for (int i = 0; i < batches; ++i) {
      for (std::size_t client = mine.begin; client < mine.end; ++client) clients[client].send();
      for (std::size_t client = mine.begin; client < mine.end; ++client) clients[client].receive();
    }
  });
  timer.stop();

  std::uint64_t increments = 0;
  for (const Client& client : clients) {
    right = right && client.right();
    increments += client.increments();
  }
  control.send("incr counter 0\r\n");
  right = control.receives(std::to_string(increments) + "\r\n") && right;
  end_server();
  return {right, bench::format("%d requests", batches * kBatch * static_cast<int>(clients.size()))};
}

}  // namespace

int main(int argc, char** argv) {
  bench::end_with_server();
  return bench::program_main(argc, argv, "memcached", run);
}
