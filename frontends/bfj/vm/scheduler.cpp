#include "frontends/bfj/vm/scheduler.h"

namespace bigfoot::vm {

Green& Scheduler::create(const Actor& who, std::uint64_t seed) {
  SystemMutex::Guard guard(lock_, who);
  greens_.push_back(std::make_unique<Green>(static_cast<std::uint32_t>(greens_.size()), seed));
  ++unfinished_;
  return *greens_.back();
}

void Scheduler::ready(const Actor& who, Green& green) {
  SystemMutex::Guard guard(lock_, who);
  ready_.push_back(&green);
  work_.notify_one();
}

Green* Scheduler::next(const Actor& who) {
  SystemMutex::Guard guard(lock_, who);
  guard.wait(work_, [&] {
    if (!ready_.empty() || unfinished_ == 0 || deadlock_) return true;
    deadlock_ = running_ == 0;  // all the others wait, and nobody is left to change anything
    if (deadlock_) work_.notify_all();
    return deadlock_;
  });
  if (ready_.empty()) return nullptr;
  Green* green = ready_.front();
  ready_.pop_front();
  ++running_;
  return green;
}

void Scheduler::yielded(const Actor& who, Green& green) {
  SystemMutex::Guard guard(lock_, who);
  --running_;
  ready_.push_back(&green);
  work_.notify_one();
}

void Scheduler::blocked(const Actor& who, Green& green, std::uint64_t changes_seen) {
  SystemMutex::Guard guard(lock_, who);
  --running_;
  blocked_.push_back(&green);
  if (changes_seen != changes_) wake_blocked();
  if (running_ == 0) work_.notify_all();
}

void Scheduler::ended(const Actor& who, Green& green) {
  SystemMutex::Guard guard(lock_, who);
  --running_;
  --unfinished_;
  green.finished = true;
  ++changes_;
  wake_blocked();
  work_.notify_all();
}

std::uint64_t Scheduler::changes(const Actor& who) {
  SystemMutex::Guard guard(lock_, who);
  return changes_;
}

void Scheduler::changed(const Actor& who) {
  SystemMutex::Guard guard(lock_, who);
  ++changes_;
  wake_blocked();
}

bool Scheduler::has_ended(const Actor& who, std::uint32_t thread) {
  SystemMutex::Guard guard(lock_, who);
  return thread < greens_.size() && greens_[thread]->finished;
}

void Scheduler::wake_blocked() {
  for (Green* green : blocked_) ready_.push_back(green);
  if (!blocked_.empty()) work_.notify_all();
  blocked_.clear();
}

}  // namespace bigfoot::vm
