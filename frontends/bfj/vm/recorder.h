// One execution written down, in one order: what the accuracy study replays and the oracle judges.
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "frontends/bfj/vm/monitor.h"

namespace bigfoot::vm {

struct RecordedEvent {
  enum class Kind : std::uint8_t {
    Read,
    Write,
    Acquire,
    Release,
    Fork,  // `other` is the child
    Start,
    End,
    Join,
    SystemRead,
    SystemWrite,
    SystemAcquire,
    SystemRelease,
    Clear,
    Copy,  // to `other`
  };
  Kind kind;
  bool is_volatile = false;
  bool refused = false;  // an access that did not happen: the program got an exception instead
  Actor who = {};
  std::uintptr_t address = 0;
  std::uint64_t bytes = 0;
  std::uintptr_t other = 0;
  // Where in the program's text, or in the system: an instruction or a name.
  const void* site = nullptr;
  bfj::Location where = {};

  bool is_program_access() const { return kind == Kind::Read || kind == Kind::Write; }
  bool is_access() const {
    return is_program_access() || kind == Kind::SystemRead || kind == Kind::SystemWrite;
  }
  bool writes() const { return kind == Kind::Write || kind == Kind::SystemWrite; }
};

// Also hands everything on to another monitor, in the same order.
class Recorder final : public Monitor {
 public:
  explicit Recorder(Monitor& next) : next_(next) {}

  Verdict access(const Actor&, const ProgramAccess&) override;
  void acquire(const Actor&, const ProgramSync&) override;
  void release(const Actor&, const ProgramSync&) override;
  void forked(const Actor&, std::uint32_t child) override;
  void joined(const Actor&, std::uint32_t child) override;
  void ending(const Actor&) override;
  void resumed(const Actor&) override;
  void suspended(const Actor&) override;
  void system_read(const Actor&, Memory, const char* site) override;
  void system_write(const Actor&, Memory, const char* site) override;
  void system_acquire(const Actor&, const void* lock) override;
  void system_release(const Actor&, const void* lock) override;
  void freed(const Actor&, std::span<const Memory>) override;
  void copied(const Actor&, std::span<const Move>) override;
  void worker_started(std::uint32_t worker) override { next_.worker_started(worker); }
  void worker_ending(std::uint32_t worker) override { next_.worker_ending(worker); }

  // REQUIRES: nobody runs any more.
  const std::vector<RecordedEvent>& events() const { return events_; }

 private:
  void add(RecordedEvent e) { events_.push_back(std::move(e)); }

  Monitor& next_;
  std::mutex lock_;  // guards the rest, and the order of events in both monitors
  std::vector<RecordedEvent> events_;
  std::vector<bool> started_;
};

// As the oracle of the schedule explorer reads it: the program's events only, those that were
// refused as if they had happened, or not at all.
enum class RefusedAccesses : std::uint8_t { AsIfTheyHappened, LeftOut };
std::vector<bfj::Event> program_trace(const std::vector<RecordedEvent>& events,
                                      RefusedAccesses refused);

}  // namespace bigfoot::vm
