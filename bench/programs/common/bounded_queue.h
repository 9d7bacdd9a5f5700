// A queue between the stages of a pipeline: who pushes waits while it is full, who pops while it is
// empty.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>

namespace bench {

template <typename T>
class BoundedQueue {
 public:
  explicit BoundedQueue(std::size_t capacity) : capacity_(capacity) {}

  void push(T item) {
    {
      std::unique_lock lock(mutex_);
      not_full_.wait(lock, [this] { return items_.size() < capacity_; });
      items_.push_back(std::move(item));
    }
    not_empty_.notify_one();
  }

  // Nothing once the queue is closed and empty.
  std::optional<T> pop() {
    std::optional<T> item;
    {
      std::unique_lock lock(mutex_);
      not_empty_.wait(lock, [this] { return !items_.empty() || closed_; });
      if (items_.empty()) return std::nullopt;
      item = std::move(items_.front());
      items_.pop_front();
    }
    not_full_.notify_one();
    return item;
  }

  void close() {
    {
      std::lock_guard lock(mutex_);
      closed_ = true;
    }
    not_empty_.notify_all();
  }

 private:
  const std::size_t capacity_;
  std::mutex mutex_;
  std::condition_variable not_full_, not_empty_;
  std::deque<T> items_;  // guarded by mutex_, as is closed_
  bool closed_ = false;
};

}  // namespace bench
