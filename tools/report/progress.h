// "bigfoot report: reading races.json (3 of 12)" on stderr, but only when something takes longer
// than a second, and then once a second.
#pragma once

#include <chrono>
#include <iostream>
#include <string>

namespace bigfoot::report {

class Progress {
 public:
  explicit Progress(std::string who) : who_(std::move(who)) {}

  template <class Describe>
  void tick(Describe describe) {
    const auto now = Clock::now();
    if (now < next_) return;
    next_ = now + std::chrono::seconds(1);
    std::cerr << who_ << ": " << describe() << std::endl;
  }

 private:
  using Clock = std::chrono::steady_clock;
  std::string who_;
  Clock::time_point next_ = Clock::now() + std::chrono::seconds(1);
};

}  // namespace bigfoot::report
