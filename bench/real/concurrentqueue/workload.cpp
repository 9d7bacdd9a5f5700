// moodycamel::ConcurrentQueue: every thread produces and consumes through one lock-free queue.
//
// The queue is built on relaxed atomics and fences. Valid if every item arrives once and each
// consumer sees the items of a producer in the order in which they were produced.
#include <concurrentqueue.h>

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

#include "bench/programs/common/program.h"
#include "bench/programs/common/team.h"

namespace {

constexpr bench::BySize<std::uint64_t> kItems{2'000, 100'000, 1'000'000, 8'000'000,
                                              32'000'000};  // in all
constexpr std::size_t kBulk = 16;

struct Item {
  std::uint32_t producer = 0;
  std::uint32_t number = 0;
};

struct Received {
  std::uint64_t items = 0;
  std::uint64_t sum = 0;
  bool ordered = true;
};

class Exchange {
 public:
  Exchange(std::uint64_t items, int threads)
      : per_thread_(items / static_cast<std::uint64_t>(threads)),
        threads_(threads),
        received_(static_cast<std::size_t>(threads)) {}

  void run() {
    bench::run_team(threads_, [this](int id) { run_thread(static_cast<std::uint32_t>(id)); });
  }

  bool is_valid() const {
    std::uint64_t items = 0, sum = 0;
    for (const auto& received : received_) {
      if (!received.value.ordered) return false;
      items += received.value.items;
      sum += received.value.sum;
    }
    const std::uint64_t sum_per_thread = per_thread_ * (per_thread_ - 1) / 2;
    return items == total() && sum == sum_per_thread * static_cast<std::uint64_t>(threads_);
  }

  std::uint64_t total() const { return per_thread_ * static_cast<std::uint64_t>(threads_); }

 private:
  // Alternately sends a few and receives a few, then receives until everybody's items have arrived.
  void run_thread(std::uint32_t id) {
    Received& received = received_[id].value;
    std::vector<std::int64_t> last(static_cast<std::size_t>(threads_), -1);
    moodycamel::ProducerToken sender(queue_);
    moodycamel::ConsumerToken receiver(queue_);
    std::uint64_t sent = 0;
    while (sent < per_thread_ || arrived_.load(std::memory_order_relaxed) < total()) {
      for (std::size_t i = 0; i < kBulk && sent < per_thread_; ++i) {
        queue_.enqueue(sender, {id, static_cast<std::uint32_t>(sent++)});
      }
      if (!receive(receiver, last, received)) std::this_thread::yield();
    }
  }

  bool receive(moodycamel::ConsumerToken& token, std::vector<std::int64_t>& last,
               Received& received) {
    Item items[kBulk];
    const std::size_t count = queue_.try_dequeue_bulk(token, items, kBulk);
    for (std::size_t i = 0; i < count; ++i) {
      received.ordered &= last[items[i].producer] < items[i].number;
      last[items[i].producer] = items[i].number;
      received.sum += items[i].number;
    }
    received.items += count;
    arrived_.fetch_add(count, std::memory_order_relaxed);
    return count > 0;
  }

  const std::uint64_t per_thread_;
  const int threads_;
  moodycamel::ConcurrentQueue<Item> queue_;
  std::atomic<std::uint64_t> arrived_{0};
  std::vector<bench::Padded<Received>> received_;  // by thread, read after they are joined
};

bench::Result run(const bench::Options& options, bench::KernelTimer& timer) {
  Exchange exchange(kItems[options.size], options.threads);
  timer.start();
  exchange.run();
  timer.stop();
  return {exchange.is_valid(),
          bench::format("%llu items", static_cast<unsigned long long>(exchange.total()))};
}

}  // namespace

int main(int argc, char** argv) {
  return bench::program_main(argc, argv, "concurrentqueue", run);
}
