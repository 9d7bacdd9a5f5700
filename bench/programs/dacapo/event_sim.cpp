// event_sim: a discrete-event simulation of a grid of radio nodes that forward packets. In the
// spirit of avrora of the DaCapo suite.
//
// Time advances in windows no longer than the shortest link delay, so that what a node does in a
// window cannot concern another before the next one. Within a window threads draw nodes from a
// counter and run their events; a packet goes to a neighbour's inbox under that node's lock. Many
// small locks, priority queues, a barrier per window.
//
// Inboxes are drained in order of time and sender, so the result does not depend on threads. Valid
// if every packet is delivered, expired or still under way, and, for tiny and small, if a single
// thread ends in the same state.
#include <algorithm>
#include <atomic>
#include <barrier>
#include <cstdint>
#include <memory>
#include <mutex>
#include <queue>
#include <tuple>
#include <vector>

#include "bench/programs/common/mix.h"
#include "bench/programs/common/program.h"
#include "bench/programs/common/team.h"

namespace {

struct Workload {
  std::uint32_t side;  // of the grid
  std::uint32_t windows;
};

constexpr bench::BySize<Workload> kWorkload{{6, 40}, {16, 150}, {32, 150}, {64, 300}, {128, 600}};

using Time = std::uint64_t;
using NodeId = std::uint32_t;

constexpr Time kWindow = 100;       // the shortest link delay
constexpr Time kMeanInterval = 60;  // between the packets a node starts
constexpr std::uint32_t kMaxHops = 24;

struct Packet {
  Time time;  // of arrival
  NodeId sender;
  std::uint32_t sequence;  // of the sender
  NodeId destination;
  std::uint32_t hops;
  bool is_timer;  // not a packet at all: the node's own clock, on which it starts a packet

  // Earliest first; sender and sequence make the order total.
  friend bool operator<(const Packet& a, const Packet& b) {
    return std::tie(a.time, a.sender, a.sequence) > std::tie(b.time, b.sender, b.sequence);
  }
};

struct Totals {
  std::uint64_t started = 0, delivered = 0, expired = 0, forwarded = 0;
  std::uint64_t digest = 0;

  Totals& operator+=(const Totals& o) {
    started += o.started, delivered += o.delivered, expired += o.expired, forwarded += o.forwarded;
    digest += o.digest;
    return *this;
  }
  friend bool operator==(const Totals&, const Totals&) = default;
};

class Network;

class Node {
 public:
  Node(NodeId id) : id_(id), random_(id) {
    events_.push({random_.below(kMeanInterval), id, 0, id, 0, true});
  }

  void receive(const Packet& packet) {
    std::lock_guard lock(mutex_);
    inbox_.push_back(packet);
  }

  // Runs the node's events before `end`. One thread at a time.
  void run_until(Time end, Network& network);

  const Totals& totals() const { return totals_; }
  std::uint64_t under_way() const {
    std::uint64_t waiting = inbox_.size();
    for (auto events = events_; !events.empty(); events.pop()) waiting += !events.top().is_timer;
    return waiting;
  }

 private:
  void handle(const Packet& packet, Network& network);
  void send(Packet packet, Network& network);

  const NodeId id_;
  std::mutex mutex_;
  std::vector<Packet>
      inbox_;  // guarded by mutex_; everything else belongs to the thread that runs the node
  std::priority_queue<Packet> events_;
  bench::Random random_;
  std::uint32_t sequence_ = 1;
  Totals totals_;
};

class Network {
 public:
  explicit Network(std::uint32_t side) : side_(side) {
    for (NodeId id = 0; id < side * side; ++id) nodes_.push_back(std::make_unique<Node>(id));
  }

  NodeId size() const { return static_cast<NodeId>(nodes_.size()); }
  Node& node(NodeId id) { return *nodes_[id]; }

  // The neighbour one step nearer to the destination, along the longer distance first.
  NodeId next_hop(NodeId from, NodeId to) const {
    const auto x = static_cast<int>(from % side_), y = static_cast<int>(from / side_);
    const int dx = static_cast<int>(to % side_) - x, dy = static_cast<int>(to / side_) - y;
    if (std::abs(dx) >= std::abs(dy)) return dx > 0 ? from + 1 : from - 1;
    return dy > 0 ? from + side_ : from - side_;
  }

  void simulate(std::uint32_t windows, int threads) {
    std::vector<std::atomic<NodeId>> next(windows);
    std::barrier barrier(threads);
    bench::run_team(threads, [&](int) {
      for (std::uint32_t window = 0; window < windows; ++window) {
        for (NodeId id; (id = next[window].fetch_add(1, std::memory_order_relaxed)) < size();) {
          node(id).run_until((window + 1) * kWindow, *this);
        }
        barrier.arrive_and_wait();
      }
    });
  }

  Totals totals() const {
    Totals sum;
    for (const auto& node : nodes_) sum += node->totals();
    return sum;
  }

  std::uint64_t under_way() const {
    std::uint64_t sum = 0;
    for (const auto& node : nodes_) sum += node->under_way();
    return sum;
  }

 private:
  const std::uint32_t side_;
  std::vector<std::unique_ptr<Node>> nodes_;
};

void Node::run_until(Time end, Network& network) {
  std::vector<Packet> arrived;
  {
    std::lock_guard lock(mutex_);
    arrived.swap(inbox_);
  }
  for (const Packet& packet : arrived) events_.push(packet);
  while (!events_.empty() && events_.top().time < end) {
    const Packet packet = events_.top();
    events_.pop();
    handle(packet, network);
  }
}

void Node::handle(const Packet& packet, Network& network) {
  totals_.digest = bench::mix(totals_.digest ^ packet.time << 20 ^ packet.sender);
  if (packet.is_timer) {
    events_.push(
        {packet.time + 1 + random_.below(2 * kMeanInterval), id_, sequence_++, id_, 0, true});
    const auto destination = static_cast<NodeId>(random_.below(network.size()));
    if (destination == id_) return;
    ++totals_.started;
    send({packet.time, id_, 0, destination, 0, false}, network);
  } else if (packet.destination == id_) {
    ++totals_.delivered;
  } else if (packet.hops == kMaxHops) {
    ++totals_.expired;
  } else {
    ++totals_.forwarded;
    send(packet, network);
  }
}

void Node::send(Packet packet, Network& network) {
  packet.time += kWindow + random_.below(kWindow);
  packet.sender = id_;
  packet.sequence = sequence_++;
  ++packet.hops;
  network.node(network.next_hop(id_, packet.destination)).receive(packet);
}

Totals sequential_totals(const Workload& workload) {
  Network network(workload.side);
  network.simulate(workload.windows, 1);
  return network.totals();
}

bench::Result run(const bench::Options& options, bench::KernelTimer& timer) {
  const Workload& workload = kWorkload[options.size];
  Network network(workload.side);

  timer.start();
  network.simulate(workload.windows, options.threads);
  timer.stop();

  const Totals totals = network.totals();
  const bool conserved = totals.started == totals.delivered + totals.expired + network.under_way();
  const bool repeat = options.size == bench::Size::kTiny || options.size == bench::Size::kSmall;
  const bool valid =
      conserved && totals.delivered > 0 && (!repeat || totals == sequential_totals(workload));
  return {valid, bench::format("%u nodes, %llu packets delivered", network.size(),
                               static_cast<unsigned long long>(totals.delivered))};
}

}  // namespace

int main(int argc, char** argv) {
  return bench::program_main(argc, argv, "event_sim", run);
}
