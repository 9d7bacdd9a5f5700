#include "frontends/bfj/vm/study.h"

#include <map>

#include "bigfoot/lard.h"

namespace bigfoot::vm {
namespace {

using Kind = RecordedEvent::Kind;

const void* pointer(std::uintptr_t address) {
  return reinterpret_cast<const void*>(address);
}

int quiet(const bf_lard_race*, void*) {
  return BF_LARD_QUIET;
}

// Names of the beginnings and ends of threads: addresses that nothing else has.
class ThreadNames {
 public:
  const void* begin(std::uintptr_t green) { return name(2 * green); }
  const void* end(std::uintptr_t green) { return name(2 * green + 1); }
  std::size_t bytes() const { return kMost; }
  const void* first() const { return names_.data(); }

 private:
  const void* name(std::uintptr_t i) { return &names_.at(i * 8); }
  static constexpr std::size_t kMost = std::size_t{1} << 16;
  std::vector<char> names_ = std::vector<char>(kMost);
};

class Replay {
 public:
  Replay(const std::vector<RecordedEvent>& events, const StudyDetector& detector)
      : events_(events), detector_(detector), home_(bf_lard_thread_current()) {}

  std::vector<bool> run() {
    bf_lard_on_race(quiet, nullptr, BF_LARD_TELL);
    std::vector<bool> racy(events_.size());
    for (std::size_t i = 0; i < events_.size(); ++i) racy[i] = step(events_[i]);
    forget_everything();
    bf_lard_on_race(nullptr, nullptr, BF_LARD_TELL);
    return racy;
  }

 private:
  // As this detector sees it: a thread of the program, or the OS thread beneath.
  bf_lard_thread identity(const Actor& who) {
    const bool green = detector_.threads && who.green != Actor::kNobody;
    auto [at, fresh] = threads_.try_emplace({green, green ? who.green : who.worker});
    if (fresh) at->second = create(home_);
    return at->second;
  }
  // What the creator has done is before what the new thread does.
  bf_lard_thread create(bf_lard_thread creator) {
    become(creator);
    return bf_lard_thread_create(1);
  }
  void become(bf_lard_thread thread) { bf_lard_thread_switch(thread, BF_LARD_SAME_STACK); }

  bool step(const RecordedEvent& e) {
    switch (e.kind) {
      case Kind::Read:
      case Kind::Write:
        return access(e);
      case Kind::SystemRead:
      case Kind::SystemWrite:
        return detector_.system_accesses && access(e);
      case Kind::Acquire:
        return acquire(e, pointer(e.address));
      case Kind::Release:
        return release(e, pointer(e.address));
      case Kind::SystemAcquire:
        return detector_.system_sync && acquire(e, pointer(e.address));
      case Kind::SystemRelease:
        return detector_.system_sync && release(e, pointer(e.address));
      case Kind::Fork:
        if (detector_.threads)
          threads_[{true, static_cast<std::uint32_t>(e.other)}] = create(identity(e.who));
        else
          release(e, names_.begin(e.other));
        return false;
      case Kind::Start:
        return !detector_.threads && acquire(e, names_.begin(e.who.green));
      case Kind::End:
        return release(e, names_.end(e.who.green));
      case Kind::Join:
        return acquire(e, names_.end(e.other));
      case Kind::Clear:
        if (detector_.clears) bf_lard_clear(pointer(e.address), e.bytes);
        return false;
      case Kind::Copy:
        if (detector_.copies) bf_lard_copy(pointer(e.other), pointer(e.address), e.bytes);
        return false;
    }
    return false;
  }

  bool access(const RecordedEvent& e) {
    touched_.emplace(e.address, e.bytes);
    become(identity(e.who));
    const int result = e.writes() ? bf_lard_write_at(pointer(e.address), e.bytes, e.site)
                                  : bf_lard_read_at(pointer(e.address), e.bytes, e.site);
    begin_epoch();
    return result == BF_LARD_RACE;
  }
  // The detector does not judge an access again in the same epoch. The study counts accesses, so
  // each one gets an epoch of its own: reading the clock lets time pass and orders nothing.
  void begin_epoch() {
    const std::size_t size = bf_lard_clock_read(clock_.data(), clock_.size());
    if (size <= clock_.size()) return;
    clock_.resize(size);
    begin_epoch();
  }

  bool acquire(const RecordedEvent& e, const void* object) {
    become(identity(e.who));
    bf_lard_acquire(object);
    return false;
  }
  bool release(const RecordedEvent& e, const void* object) {
    touched_.emplace(reinterpret_cast<std::uintptr_t>(object), 1);
    become(identity(e.who));
    bf_lard_release(object);
    return false;
  }

  // The next replay begins with nothing.
  void forget_everything() {
    become(home_);
    for (const auto& [key, thread] : threads_) bf_lard_thread_destroy(thread);
    for (const auto& [address, bytes] : touched_) bf_lard_clear(pointer(address), bytes);
    for (const RecordedEvent& e : events_)
      if (e.kind == Kind::Copy) bf_lard_clear(pointer(e.other), e.bytes);
  }

  const std::vector<RecordedEvent>& events_;
  const StudyDetector& detector_;
  const bf_lard_thread home_;
  std::map<std::pair<bool, std::uint32_t>, bf_lard_thread> threads_;  // (green, number)
  std::set<std::pair<std::uintptr_t, std::uint64_t>> touched_;
  ThreadNames names_;
  std::vector<std::uint64_t> clock_ = std::vector<std::uint64_t>(64);
};

template <class Counted>
StudyCounts count(const std::vector<RecordedEvent>& events, Counted counted) {
  StudyCounts counts;
  std::set<const void*> places;
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (!counted(i)) continue;
    ++counts.accesses;
    places.insert(events[i].site);
  }
  counts.places = places.size();
  return counts;
}

}  // namespace

std::vector<bool> replay(const std::vector<RecordedEvent>& events, const StudyDetector& detector) {
  return Replay(events, detector).run();
}

StudyCounts difference(const std::vector<RecordedEvent>& events, const std::vector<bool>& these,
                       const std::vector<bool>& those) {
  return count(events, [&](std::size_t i) { return these[i] && !those[i]; });
}

StudyCounts total(const std::vector<RecordedEvent>& events, const std::vector<bool>& these) {
  return count(events, [&](std::size_t i) { return these[i]; });
}

std::set<bfj::Location> racy_locations(const std::vector<RecordedEvent>& events,
                                       const std::vector<bool>& racy) {
  std::set<bfj::Location> locations;
  for (std::size_t i = 0; i < events.size(); ++i)
    if (racy[i] && events[i].is_program_access()) locations.insert(events[i].where);
  return locations;
}

}  // namespace bigfoot::vm
