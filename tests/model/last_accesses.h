// The oracle for long traces over few bytes: for every byte the last read and write of every
// thread, and vector clocks as plain arrays. Who is ordered after the last access of a thread is
// ordered after all of them, so the last ones tell whether a byte races; which pairs do it they do
// not tell.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

namespace bigfoot::model {

class LastAccesses {
 public:
  LastAccesses(std::size_t bytes, int threads, int locks);

  void acquire(int thread, int lock);
  void release(int thread, int lock);
  // Whether it races with a last one.
  bool access(int thread, std::size_t byte, bool writes);
  // The byte begins anew; what it raced for before is still told.
  void clear(std::size_t byte) { history_[byte] = blank(); }
  // [from, from + bytes) gets a copy at `to`, or goes there.
  void copy(std::size_t from, std::size_t to, std::size_t bytes) {
    transfer(from, to, bytes, false);
  }
  void move(std::size_t from, std::size_t to, std::size_t bytes) {
    transfer(from, to, bytes, true);
  }

  // Bytes with the history of others that had raced: which of the racing accesses is in it depends
  // on the order in which a detector looks at them.
  bool open(std::size_t byte) const { return open_[byte]; }
  // All that are not open.
  std::set<std::uintptr_t> racy() const;

 private:
  using Times = std::vector<std::uint64_t>;  // by thread
  struct Last {
    Times read, write;
  };
  Last blank() const { return {Times(clocks_.size()), Times(clocks_.size())}; }
  void transfer(std::size_t from, std::size_t to, std::size_t bytes, bool moves);

  std::vector<Times> clocks_, locks_;
  std::vector<Last> history_;
  std::vector<bool> racy_, open_;
};

}  // namespace bigfoot::model
