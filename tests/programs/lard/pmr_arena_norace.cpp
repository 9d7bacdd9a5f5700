// REQUIRES: bigfoot
// RUN: %clangxx %s %support -o %t
// RUN: %run_clean %t
// RUN: %clangxx -DWITHOUT %s %support -o %t.without
// RUN: %not %t.without

// docs/lard.md: a std::pmr arena whose blocks go from thread to thread. The hand-over is the arena's
// business (its lock is untracked), so only the clear says that these are different objects.
#include <bigfoot/lard.h>

#include <memory_resource>
#include <mutex>
#include <vector>

#include "script.h"
#include "spawn.h"

class Arena : public std::pmr::memory_resource {
 public:
  explicit Arena(std::pmr::memory_resource* upstream) : pool_(upstream) {}

 private:
  void* do_allocate(size_t bytes, size_t align) override {
    bigfoot::lard::Untracked region;
    std::lock_guard<std::mutex> guard(lock_);
    return pool_.allocate(bytes, align);
  }
  void do_deallocate(void* p, size_t bytes, size_t align) override {
#ifndef WITHOUT
    bf_lard_clear(p, bytes);
#endif
    bigfoot::lard::Untracked region;
    std::lock_guard<std::mutex> guard(lock_);
    pool_.deallocate(p, bytes, align);
  }
  bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }

  std::mutex lock_;
  std::pmr::unsynchronized_pool_resource pool_;
};

int main() {
  Arena arena(std::pmr::new_delete_resource());
  const void *first = nullptr, *second = nullptr;
  auto use = [&](const void*& where) {
    std::pmr::vector<int> numbers(16, 1, &arena);
    numbers[3] = 2;
    where = numbers.data();
  };
  run_threads(
      [&] {
        use(first);
        script_post(0);
      },
      [&] {
        script_wait(0);
        use(second);
      });
  require(first == second);
}
