// A queue of tasks per thread; a thread that has none left steals from the others.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace bench {

template <typename Task>
class TaskQueues {
 public:
  explicit TaskQueues(int threads) : queues_(static_cast<std::size_t>(threads)) {}

  // Puts a task into the queue of thread `id`. Tasks may push tasks.
  void push(int id, Task task) {
    unfinished_.fetch_add(1, std::memory_order_relaxed);
    Queue& queue = queues_[static_cast<std::size_t>(id)];
    std::lock_guard lock(queue.mutex);
    queue.tasks.push_back(std::move(task));
  }

  // Runs body(task) for tasks until all are finished, also those that others run. What the tasks
  // did happens before the return.
  // REQUIRES: the first tasks were pushed before any thread came here.
  template <typename Body>
  void work(int id, const Body& body) {
    while (unfinished_.load(std::memory_order_acquire) > 0) {
      if (auto task = take(static_cast<std::size_t>(id))) {
        body(*task);
        unfinished_.fetch_sub(1, std::memory_order_acq_rel);
      } else {
        std::this_thread::yield();
      }
    }
  }

 private:
  struct alignas(64) Queue {
    std::mutex mutex;
    std::deque<Task> tasks;  // guarded by mutex
  };

  // The newest of the thread's own tasks, or else the oldest of the next thread that has any.
  std::optional<Task> take(std::size_t id) {
    for (std::size_t i = 0; i < queues_.size(); ++i) {
      Queue& queue = queues_[(id + i) % queues_.size()];
      std::lock_guard lock(queue.mutex);
      if (queue.tasks.empty()) continue;
      std::optional<Task> task;
      if (i == 0) {
        task = std::move(queue.tasks.back());
        queue.tasks.pop_back();
      } else {
        task = std::move(queue.tasks.front());
        queue.tasks.pop_front();
      }
      return task;
    }
    return std::nullopt;
  }

  std::vector<Queue> queues_;
  std::atomic<std::int64_t> unfinished_{0};
};

}  // namespace bench
