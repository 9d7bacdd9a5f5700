// The load on redis: connections, each with keys of its own, which writes and reads strings,
// counts, fills and reads lists and hashes, and deletes hashes when they are large enough for redis
// to free them on a thread of their own.
//
// redis uses its threads only while twice as many connections as threads have something for them,
// hence eight connections for each. They are served in turn by one thread here: redis's threads
// wait for each other without sleeping, and want the processors for themselves.
//
// Valid if every answer is the expected one.
#include <initializer_list>
#include <optional>
#include <vector>

#include "bench/programs/common/program.h"
#include "bench/real/common/load.h"

namespace {

constexpr bench::BySize<int> kRequests{3'000, 12'000, 60'000, 240'000, 960'000};  // of all
constexpr int kConnectionsPerThread = 8;
constexpr int kBatch = 50;  // requests
constexpr std::uint64_t kStrings = 1'000;
constexpr std::size_t kListEntries = 60;
constexpr std::uint64_t kHashFields = 100;  // more than 64: redis frees what is smaller at once

// One element of redis's protocol.
std::string bulk(std::string_view text) {
  return "$" + std::to_string(text.size()) + "\r\n" + std::string(text) + "\r\n";
}
std::string integer(std::uint64_t value) {
  return ":" + std::to_string(value) + "\r\n";
}

class Client {
 public:
  Client(int id, bench::Connection connection)
      : id_(id), random_(static_cast<std::uint64_t>(id)), connection_(std::move(connection)) {}

  void send() {
    batch_ = {};
    for (int i = 0; i < kBatch; ++i) add_request();
    connection_.send(batch_.requests);
  }
  void receive() { right_ = connection_.receives(batch_.answers) && right_; }
  bool right() const { return right_; }

 private:
  void add_request() {
    switch (random_.below(16)) {
      case 0:
      case 1:
      case 2:
        set();
        break;
      case 3:
        remove();
        break;
      case 4:
        ask({"INCR", key("counter")}, integer(++counter_));
        break;
      case 5:
        push();
        break;
      case 6:
        read_list();
        break;
      case 7:
      case 8:
      case 9:
        add_field();
        break;
      case 10:
        read_field();
        break;
      default:
        get();
    }
  }

  void set() {
    const std::uint64_t number = random_.skewed(kStrings);
    strings_[number] = random_.next();
    ask({"SET", string_key(number), values_[*strings_[number]]}, "+OK\r\n");
  }

  void get() {
    const std::uint64_t number = random_.skewed(kStrings);
    const auto& held = strings_[number];
    ask({"GET", string_key(number)}, held ? bulk(values_[*held]) : "$-1\r\n");
  }

  void remove() {
    const std::uint64_t number = random_.skewed(kStrings);
    ask({"DEL", string_key(number)}, integer(strings_[number] ? 1 : 0));
    strings_[number].reset();
  }

  void push() {
    if (list_.size() == kListEntries) {
      ask({"DEL", key("list")}, integer(1));
      list_.clear();
    }
    list_.push_back(random_.next());
    ask({"RPUSH", key("list"), values_[list_.back()]}, integer(list_.size()));
  }

  void read_list() {
    const std::size_t count = std::min<std::size_t>(list_.size(), 5);
    std::string answer = "*" + std::to_string(count) + "\r\n";
    for (std::size_t i = 0; i < count; ++i) answer += bulk(values_[list_[i]]);
    ask({"LRANGE", key("list"), "0", "4"}, answer);
  }

  void add_field() {
    if (fields_ == kHashFields) {
      ask({"UNLINK", key("hash")}, integer(1));
      fields_ = 0;
      ++hash_;
    }
    ask({"HSET", key("hash"), std::to_string(fields_), field_value(fields_)}, integer(1));
    ++fields_;
  }

  void read_field() {
    const std::uint64_t field = random_.below(kHashFields);
    ask({"HGET", key("hash"), std::to_string(field)},
        field < fields_ ? bulk(field_value(field)) : "$-1\r\n");
  }

  std::string key(const char* what) const { return bench::format("client%d:%s", id_, what); }
  std::string string_key(std::uint64_t number) const {
    return bench::format("client%d:string%d", id_, static_cast<int>(number));
  }
  std::string_view field_value(std::uint64_t field) const {
    return values_[hash_ * kHashFields + field];
  }

  void ask(std::initializer_list<std::string_view> words, const std::string& answer) {
    batch_.requests += "*" + std::to_string(words.size()) + "\r\n";
    for (const std::string_view word : words) batch_.requests += bulk(word);
    batch_.answers += answer;
  }

  const int id_;
  const bench::Values values_;
  bench::Random random_;
  bench::Connection connection_;
  bench::Batch batch_;
  bool right_ = true;
  // What the server holds of this client.
  std::vector<std::optional<std::uint64_t>> strings_ =
      std::vector<std::optional<std::uint64_t>>(kStrings);
  std::uint64_t counter_ = 0;
  std::vector<std::uint64_t> list_;
  std::uint64_t hash_ = 0, fields_ = 0;
};

bench::Result run(const bench::Options& options, bench::KernelTimer& timer) {
  bench::Connection control = bench::first_connection();
  control.send("*1\r\n$4\r\nPING\r\n");
  bool right = control.receives("+PONG\r\n");
  std::vector<Client> clients;
  for (int id = 0; id < kConnectionsPerThread * options.threads; ++id)
    clients.emplace_back(id, bench::connection());
  const int batches =
      std::max(1, kRequests[options.size] / kBatch / static_cast<int>(clients.size()));

  timer.start();
  for (int i = 0; i < batches; ++i) {
    for (Client& client : clients) client.send();
    for (Client& client : clients) client.receive();
  }
  timer.stop();

  for (const Client& client : clients) right = right && client.right();
  control.send("*2\r\n$8\r\nSHUTDOWN\r\n$6\r\nNOSAVE\r\n");
  return {right, bench::format("%d requests", batches * kBatch * static_cast<int>(clients.size()))};
}

}  // namespace

int main(int argc, char** argv) {
  bench::end_with_server();
  return bench::program_main(argc, argv, "redis", run);
}
