// LevelDB's atomic pointer on std::atomic.
//
// The release that the package has prefers a plain pointer and compiler barriers on x86, which
// later releases gave up for std::atomic. With it a detector that goes by the language rightly
// reports every use, and there is nothing else to see.
#pragma once

#include <atomic>

namespace leveldb {
namespace port {

class AtomicPointer {
 public:
  AtomicPointer() = default;
  explicit AtomicPointer(void* value) : value_(value) {}

  void* Acquire_Load() const { return value_.load(std::memory_order_acquire); }
  void Release_Store(void* value) { value_.store(value, std::memory_order_release); }
  void* NoBarrier_Load() const { return value_.load(std::memory_order_relaxed); }
  void NoBarrier_Store(void* value) { value_.store(value, std::memory_order_relaxed); }

 private:
  std::atomic<void*> value_{nullptr};
};

}  // namespace port
}  // namespace leveldb
