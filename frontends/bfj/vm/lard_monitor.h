// The race detector as a monitor: the managed run time's use of <bigfoot/lard.h>, all of it.
//
//   access                tracked access of a word, at its instruction
//   acquire, release      on the lock word or the volatile field; they follow the object
//   forked, resumed ...   a logical thread for each thread of the program
//   freed, copied         batches of cleared and copied history
//   system_*              nothing: workers and threads are in untracked regions all the time
#pragma once

#include <mutex>
#include <set>
#include <vector>

#include "bigfoot/lard.h"
#include "frontends/bfj/vm/monitor.h"

namespace bigfoot::vm {

enum class OnRace : std::uint8_t {
  Report,  // it is remembered, and the access happens
  Throw,   // the access does not happen; the program gets an exception
  Trap,    // the access does not happen; the process gets SIGTRAP
};

// Both accesses of a race, as the program's text has them.
struct FoundRace {
  const bfj::Code::Instruction* current = nullptr;
  const bfj::Code::Instruction* previous = nullptr;
  auto operator<=>(const FoundRace&) const = default;
};

class LardMonitor : public Monitor {
 public:
  explicit LardMonitor(OnRace on_race);
  ~LardMonitor() override;

  Verdict access(const Actor&, const ProgramAccess&) override;
  void acquire(const Actor&, const ProgramSync&) override;
  void release(const Actor&, const ProgramSync&) override;
  void forked(const Actor&, std::uint32_t child) override;
  void joined(const Actor&, std::uint32_t child) override;
  void ending(const Actor&) override;
  void resumed(const Actor&) override;
  void suspended(const Actor&) override;
  void freed(const Actor&, std::span<const Memory>) override;
  void copied(const Actor&, std::span<const Move>) override;
  void worker_started(std::uint32_t worker) override;
  void worker_ending(std::uint32_t worker) override;

  // REQUIRES of both: nobody runs any more.
  const std::set<FoundRace>& races() const { return races_; }
  const std::set<bfj::Location>& locations() const { return locations_; }

 private:
  // A thread of the program: its logical thread, and an address that stands for its end.
  struct Identity {
    bf_lard_thread thread = 0;
    char end = 0;
    bool started = false;
  };
  static int told(const bf_lard_race* race, void* self);
  Identity& identity(std::uint32_t green);
  static void end(const Identity& green);

  const OnRace on_race_;
  std::mutex lock_;  // guards the next two
  std::vector<std::unique_ptr<Identity>> greens_;
  std::set<bfj::Location> locations_;
  // Guards the rest. Its own: told() is called from within an access, and if the run time's own are
  // tracked by mistake, that may be one that the other lock guards.
  std::mutex races_lock_;
  std::set<FoundRace> races_;
};

}  // namespace bigfoot::vm
