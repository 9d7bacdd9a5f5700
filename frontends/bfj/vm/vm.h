// The managed run time: BFJ programs executed for real.
//
// Threads of the program are green threads: an interpreter's state, which any of several OS threads
// (workers) takes from a common queue, runs for a while and puts back; they migrate freely. Memory
// is collected, by one of three collectors. What happens is told to a Monitor, which may be the
// race detector: the program's accesses, locks and threads are its business, all else is the
// system's.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "frontends/bfj/vm/monitor.h"

namespace bigfoot::vm {

enum class Collector : std::uint8_t {
  MarkSweep,            // the world is stopped
  ConcurrentMarkSweep,  // marks beside the program, on an OS thread of its own
  Semispace,            // the world is stopped, objects move
};

struct VmOptions {
  Collector collector = Collector::Semispace;
  std::uint32_t workers = 4;
  std::uint64_t heap_bytes = std::uint64_t{1} << 20;
  std::uint64_t collect_every = 0;  // allocations; 0: when the heap is full
  std::uint32_t quantum = 40;       // instructions a thread runs before it goes back to the queue
  bool always_migrate = false;      // no thread goes on on its last worker; REQUIRES two workers
  std::uint64_t seed = 1;           // of `?`
  std::uint64_t max_instructions = 0;  // of each thread; 0: no limit
};

enum class Ending : std::uint8_t {
  AllThreadsEnded,
  Deadlock,  // the rest waits for ever
  // What is in use fills the heap. That is the end of the program and not only of the thread that
  // met with it: another one may look again and again for what that thread would have made.
  OutOfMemory,
};

struct VmResult {
  std::uint64_t threads = 0;
  std::uint64_t instructions = 0;
  std::uint64_t allocations = 0;
  std::uint64_t collections = 0;
  std::uint64_t migrations = 0;  // a thread went on on another worker
  Ending ending = Ending::AllThreadsEnded;
  std::vector<std::string> faults;  // run-time errors and uncaught data-race exceptions, by thread
  std::vector<Memory> heap;         // where objects were
};

// `compiled` and the program it came from outlive the call. Worker numbers are 0 .. workers, the
// last one for a concurrent collector.
VmResult run(const bfj::Program& program, const bfj::CompiledProgram& compiled,
             const VmOptions& options, Monitor& monitor);

}  // namespace bigfoot::vm
