// Columns: the states in which an access meets memory.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <memory>
#include <mutex>

#include "accesses.h"
#include "helpers.h"

namespace parity {

// Lock and unlock; nobody else ever does. What comes after is another epoch.
inline void begin_epoch() {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
}

// Memory for as many steps of a row as there are in a timed pass.
class Memory {
 public:
  enum class Form {
    kPlain,    // blocks too small to be arrays; for longer rows an array that never was compressed
    kArray,    // one block of 64 KiB, with nothing that keeps BigFoot from compressing its history
    kNoArray,  // the same, but with an atomic in it from the start, which does
  };
  // Less than 1 KiB, from which on BigFoot compresses, in whole lines.
  static constexpr std::size_t kBlockBytes = 960, kArrayBytes = 64 << 10;
  static constexpr std::size_t kBehindArray = 64;  // for the last of those that are not aligned
  static std::size_t steps(const Row& row) {
    return std::min(std::size_t{4096}, kArrayBytes / row.step);
  }

  Memory(const Row& row, Form form) : row_(row), form_(form) {
    const bool small = form == Form::kPlain && row.span <= kBlockBytes;
    if (form == Form::kPlain && !small) form_ = Form::kNoArray;
    bytes_ = small ? kBlockBytes : kArrayBytes;
    each_ = small ? (bytes_ - row.span) / row.step + 1 : bytes_ / row.step;
    blocks_.resize((steps(row) + each_ - 1) / each_);
    make();
  }
  ~Memory() { free_all(); }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  // Other memory, of which nothing is recorded.
  void renew() {
    if (form_ == Form::kNoArray) form_ = Form::kArray;
    free_all();
    make();
  }
  void end_array() {
    reinterpret_cast<std::atomic<long>*>(blocks_[0] + kArrayBytes + kBehindArray)->store(0);
  }

  // At once: BigFoot compresses only arrays whose first check is a large one. What a row does to
  // the array after that may split its history again, as it would in a program.
  void write_array() const { access(pass<Range<Kind::kWrite, kArrayBytes>>, 1); }
  void access(Pass pass) const { pass(blocks_.data(), each_, steps(row_)); }
  void access(Pass pass, std::size_t steps) const { pass(blocks_.data(), each_, steps); }
  // All of it, by accesses to whole words or to what begins them.
  void access_words(Pass pass) const {
    pass(blocks_.data(), bytes_ / 8, blocks_.size() * (bytes_ / 8));
  }
  std::vector<char*> addresses() const {
    std::vector<char*> all;
    for (std::size_t i = 0; i < steps(row_); ++i)
      all.push_back(blocks_[i / each_] + i % each_ * row_.step);
    return all;
  }

 private:
  void make() {
    const std::size_t more = bytes_ == kArrayBytes ? kBehindArray + 64 : 0;
    for (char*& block : blocks_) block = static_cast<char*>(std::aligned_alloc(64, bytes_ + more));
    if (form_ == Form::kNoArray) end_array();
  }
  void free_all() {
    for (char* block : blocks_) std::free(block);
  }

  const Row row_;
  Form form_;
  std::size_t bytes_, each_;
  std::vector<char*> blocks_;
};

// What is timed, again and again: prepare(), measured() and finish(). A state is made for one row.
class State {
 public:
  State(const Row& row, Helpers& helpers, Memory::Form form = Memory::Form::kPlain)
      : row_(row), helpers_(helpers), memory_(row, form) {
    if (form == Memory::Form::kArray) memory_.write_array();
    memory_.access(row.write);
    memory_.access(row.access);
  }
  virtual ~State() = default;
  virtual void prepare() { begin_epoch(); }
  virtual void measured(std::size_t steps) { memory_.access(row_.access, steps); }
  virtual void finish() {}

 protected:
  // A copy: rows are side by side, an array to BigFoot, which the passes' own reads would go to.
  const Row row_;
  Helpers& helpers_;
  Memory memory_;
};

class DoneAlready final : public State {
 public:
  using State::State;
  void prepare() override {
    begin_epoch();
    memory_.access(row_.access);
  }
};

class HandedOver final : public State {
 public:
  using State::State;
  void prepare() override {
    helpers_.run(1, [this] { memory_.access(row_.write); });
  }
};

// Reads: one of `threads`, all of which read it at the same time, but the others come first.
// Writes: the same, after all of them.
template <std::size_t threads>
class ReadBy final : public State {
 public:
  using State::State;
  void prepare() override {
    const bool reads = row_.access == row_.read;
    begin_epoch();
    done_ = std::make_unique<UnseenCount>();
    helpers_.begin(threads - 1, [this] {
      memory_.access(row_.read);
      done_->add_one();
    });
    if (reads) {
      done_->wait_for(threads - 1);
    } else {
      memory_.access(row_.read);
      helpers_.await(threads - 1);
    }
  }
  void finish() override { helpers_.await(threads - 1); }

 private:
  std::unique_ptr<UnseenCount> done_;
};

// In the epoch of the malloc, which ThreadSanitizer records as a write of this epoch.
class Fresh final : public State {
 public:
  using State::State;
  void prepare() override {
    begin_epoch();
    memory_.renew();
  }
};

class FreshLater final : public State {
 public:
  using State::State;
  void prepare() override {
    memory_.renew();
    begin_epoch();
  }
};

// Each word was written as a whole; for accesses of whole words, the first int of each.
class TwoSizes final : public State {
 public:
  using State::State;
  void prepare() override {
    memory_.access_words(row_.step < 8 ? pass<One<std::uint64_t, Kind::kWrite>>
                                       : pass<One<std::uint32_t, Kind::kWrite, 0, 8>>);
    begin_epoch();
  }
};

class FromTwoLines final : public State {
 public:
  using State::State;
  void prepare() override {
    memory_.access_words(pass<TwoInts<Kind::kWrite>>);
    begin_epoch();
  }
};

template <Descent Row::*descend>
class Recursion final : public State {
 public:
  Recursion(const Row& row, Helpers& helpers)
      : State(row, helpers), addresses_(memory_.addresses()) {}
  void measured(std::size_t steps) override {
    static std::uint64_t path = 0;
    (row_.*descend)(addresses_.data(), steps, path += 0x9E3779B97F4A7C15u);
  }

 private:
  std::vector<char*> addresses_;
};

// What is recorded of an array may be put off to the end of the epoch, so that is measured with it.
class InArray : public State {
 public:
  InArray(const Row& row, Helpers& helpers, Memory::Form form = Memory::Form::kArray)
      : State(row, helpers, form) {}
  void measured(std::size_t steps) override {
    State::measured(steps);
    begin_epoch();
  }
};

class WasArray final : public InArray {
 public:
  WasArray(const Row& row, Helpers& helpers) : InArray(row, helpers) {
    begin_epoch();
    memory_.access(row.access);
    begin_epoch();
    memory_.end_array();
  }
};

class NeverArray final : public InArray {
 public:
  NeverArray(const Row& row, Helpers& helpers) : InArray(row, helpers, Memory::Form::kNoArray) {}
};

}  // namespace parity
