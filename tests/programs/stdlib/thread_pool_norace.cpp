// RUN: %clangxx %s %support -o %t
// RUN: %run_clean %t

// A small thread pool: tasks in a queue, results in futures.
#include <condition_variable>
#include <functional>
#include <future>
#include <mutex>
#include <queue>
#include <thread>
#include <vector>

class Pool {
 public:
  explicit Pool(int size) {
    for (int i = 0; i < size; ++i)
      workers_.emplace_back([this](std::stop_token stop) { work(stop); });
  }
  std::future<int> submit(std::function<int()> body) {
    std::packaged_task<int()> task(std::move(body));
    auto result = task.get_future();
    {
      std::lock_guard lock(mutex_);
      queue_.push(std::move(task));
    }
    filled_.notify_one();
    return result;
  }

 private:
  void work(std::stop_token stop) {
    for (;;) {
      std::unique_lock lock(mutex_);
      if (!filled_.wait(lock, stop, [this] { return !queue_.empty(); })) return;
      auto task = std::move(queue_.front());
      queue_.pop();
      lock.unlock();
      task();
    }
  }
  std::mutex mutex_;
  std::condition_variable_any filled_;
  std::queue<std::packaged_task<int()>> queue_;
  std::vector<std::jthread> workers_;
};

int main() {
  Pool pool(3);
  std::vector<std::future<int>> results;
  int sum = 0;
  for (int i = 0; i < 50; ++i) results.push_back(pool.submit([i] { return i; }));
  for (auto& result : results) sum += result.get();
  return sum == 49 * 25 ? 0 : 1;
}
