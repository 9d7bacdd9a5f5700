// A thread of the program: everything the interpreter needs to go on with it, on whatever OS
// thread.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "frontends/bfj/control.h"
#include "frontends/bfj/vm/value.h"

namespace bigfoot::vm {

using Frame = bfj::Frame<Value>;

// Owned by the worker that runs it; by the scheduler's lock while nobody does.
struct Green {
  static constexpr std::uint32_t kNoWorker = ~std::uint32_t{0};

  explicit Green(std::uint32_t number, std::uint64_t seed) : id(number), choices(seed + number) {}

  const std::uint32_t id;
  std::vector<Frame> frames;
  std::minstd_rand choices;  // of `?`
  std::uint32_t last_worker = kNoWorker;
  std::uint64_t instructions = 0;
  bool finished = false;  // guarded by the scheduler's lock
  std::string fault;      // empty: none
};

}  // namespace bigfoot::vm
