#include "frontends/bfj/vm/scheduler.h"

#include <algorithm>

namespace bigfoot::vm {

Green& Scheduler::create(const Actor& who, std::uint64_t seed) {
  SystemMutex::Guard guard(lock_, who);
  greens_.push_back(std::make_unique<Green>(static_cast<std::uint32_t>(greens_.size()), seed));
  ++unfinished_;
  return *greens_.back();
}

void Scheduler::ready(const Actor& who, Green& green) {
  SystemMutex::Guard guard(lock_, who);
  make_ready(green);
}

std::deque<Green*>::iterator Scheduler::ready_for(const Actor& who) {
  if (!always_migrate_) return ready_.begin();
  return std::find_if(ready_.begin(), ready_.end(),
                      [&](const Green* g) { return g->last_worker != who.worker; });
}

Green* Scheduler::next(const Actor& who) {
  SystemMutex::Guard guard(lock_, who);
  guard.wait(work_, [&] {
    if (over_ || ready_for(who) != ready_.end() || unfinished_ == 0 || deadlock_) return true;
    // All the others wait, and nobody is left to change anything.
    deadlock_ = running_ == 0 && ready_.empty();
    if (deadlock_) work_.notify_all();
    return deadlock_;
  });
  const auto it = ready_for(who);
  if (over_ || it == ready_.end()) return nullptr;
  Green* green = *it;
  ready_.erase(it);
  ++running_;
  migrations_ += green->last_worker != Green::kNoWorker && green->last_worker != who.worker;
  green->last_worker = who.worker;
  return green;
}

void Scheduler::yielded(const Actor& who, Green& green) {
  SystemMutex::Guard guard(lock_, who);
  --running_;
  make_ready(green);
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
  end(green);
}

void Scheduler::end_all(const Actor& who, Green& green) {
  SystemMutex::Guard guard(lock_, who);
  over_ = true;
  end(green);
}

void Scheduler::end(Green& green) {
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

void Scheduler::make_ready(Green& green) {
  ready_.push_back(&green);
  // One that waits may be the one that must not have it.
  if (always_migrate_)
    work_.notify_all();
  else
    work_.notify_one();
}

void Scheduler::wake_blocked() {
  for (Green* green : blocked_) ready_.push_back(green);
  if (!blocked_.empty()) work_.notify_all();
  blocked_.clear();
}

}  // namespace bigfoot::vm
