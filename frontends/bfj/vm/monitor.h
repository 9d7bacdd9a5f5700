// What happens in the managed run time, for whoever watches: the race detector through lard.h, the
// recorder of the accuracy study, or nobody.
//
// Two levels in one stream. What the program does: accesses to fields and elements, locks, volatile
// fields, threads. What the system does for it: accesses of the allocator, the collector and the
// scheduler to the same memory, their locks, memory that is reused or moved. A watcher of the
// program ignores the system's accesses and locks; a naive one below both does not.
//
// Order of a real operation and its event: a release is told before it, an acquire after it, an
// access before it.
#pragma once

#include <cstdint>
#include <span>

#include "frontends/bfj/code.h"
#include "frontends/bfj/machine.h"

namespace bigfoot::vm {

// Who does it: a thread of the program, and the OS thread that runs it.
struct Actor {
  static constexpr std::uint32_t kNobody = ~std::uint32_t{0};
  std::uint32_t green = kNobody;  // nobody: the system on its own account
  std::uint32_t worker = 0;
};

struct ProgramAccess {
  std::uintptr_t address;
  bool writes;
  const bfj::Code::Instruction* site;
  bfj::Location where;
};

// A lock, or a volatile field, by the address of its object or field.
struct ProgramSync {
  std::uintptr_t address;
  bool is_volatile;
  bfj::Location where;
};

struct Memory {
  std::uintptr_t begin;
  std::uint64_t bytes;
};
struct Move {
  std::uintptr_t from, to;
  std::uint64_t bytes;
};

enum class Verdict : std::uint8_t { Fine, Race };

class Monitor {
 public:
  virtual ~Monitor() = default;

  // --- the program. `Race`: the access is not to happen.
  virtual Verdict access(const Actor&, const ProgramAccess&) { return Verdict::Fine; }
  virtual void acquire(const Actor&, const ProgramSync&) {}
  virtual void release(const Actor&, const ProgramSync&) {}
  virtual void forked(const Actor&, std::uint32_t /*child*/) {}  // before the child can run
  virtual void joined(const Actor&, std::uint32_t /*child*/) {}
  virtual void ending(const Actor&) {}
  // The worker goes on with this thread; it stops doing so.
  virtual void resumed(const Actor&) {}
  virtual void suspended(const Actor&) {}

  // --- the system. `site` names the place.
  virtual void system_read(const Actor&, Memory, const char* /*site*/) {}
  virtual void system_write(const Actor&, Memory, const char* /*site*/) {}
  virtual void system_acquire(const Actor&, const void* /*lock*/) {}
  virtual void system_release(const Actor&, const void* /*lock*/) {}
  // Objects have been collected; objects have been copied (the old ones end by freed()). No thread
  // of the program runs meanwhile.
  virtual void freed(const Actor&, std::span<const Memory>) {}
  virtual void copied(const Actor&, std::span<const Move>) {}
  // An OS thread of the system begins and ends.
  virtual void worker_started(std::uint32_t /*worker*/) {}
  virtual void worker_ending(std::uint32_t /*worker*/) {}
};

}  // namespace bigfoot::vm
