// Executes BFJ: appendix A of the report as a small abstract machine.
//
// A program is compiled to flat code once. A State is a value: the explorer copies it to try
// another way. Threads stop before every *visible* step (a heap access, a synchronisation, a
// choice); what lies between visible steps is local and runs along with the step before it. Race
// checks are recorded but not visible: they do not influence anything. Neither they nor copies of
// variables count as steps, so that a placement, which adds both, does not decide how far a thread
// comes before it is stopped.
//
// Run-time errors (null dereference, index out of range, releasing a lock that is not held,
// arithmetic on references, overflow) stop the thread; the trace is then outside the precision
// guarantee, as in the papers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "frontends/bfj/control.h"
#include "frontends/bfj/evaluate.h"

namespace bigfoot::bfj {

enum class ThreadId : std::uint32_t {};
constexpr std::size_t index_of(ThreadId t) {
  return static_cast<std::size_t>(t);
}

// A field or element of an object.
struct Location {
  std::uint32_t object = 0;
  std::uint32_t unit = 0;
  bool is_element = false;
  auto operator<=>(const Location&) const = default;
};

struct Event {
  enum class Kind : std::uint8_t {
    Read,
    Write,
    CheckRead,
    CheckWrite,
    Acquire,
    Release,  // of an object's lock
    VolatileRead,
    VolatileWrite,
    Fork,
    Join,  // `other` is the thread
    Name,  // a check would report the location as one of `name`
  };
  Kind kind;
  ThreadId thread{};
  Location location = {};  // the object only, for locks
  ThreadId other{};
  std::uint32_t step = 0;  // the thread's own step count when it happened
  SourcePos pos = {};
  std::uint8_t placement = 0;       // of a check or name
  const Stmt* source = nullptr;     // of an access
  const CheckName* name = nullptr;  // of a name

  bool is_access() const { return kind == Kind::Read || kind == Kind::Write; }
  bool is_check() const { return kind == Kind::CheckRead || kind == Kind::CheckWrite; }
  bool is_name() const { return kind == Kind::Name; }
  bool acquires() const {
    return kind == Kind::Acquire || kind == Kind::VolatileRead || kind == Kind::Join;
  }
  bool releases() const {
    return kind == Kind::Release || kind == Kind::VolatileWrite || kind == Kind::Fork;
  }
};

struct HeapObject {
  bool is_array = false;
  std::uint32_t units = 0;
  SiteId site{};  // of an array
};

enum class ThreadStatus : std::uint8_t { Running, Finished, Faulted, OutOfSteps };

// What a thread will do next, for deciding who may go and which orders matter.
struct NextStep {
  enum class Kind : std::uint8_t { None, Access, Lock, Unlock, Volatile, Fork, Join, Choice } kind;
  Location location;
  bool is_write = false;
  ThreadId other{};
  bool enabled = true;
};

class Machine;

class State {
 public:
  std::size_t thread_count() const { return threads_.size(); }
  ThreadStatus status(ThreadId t) const { return threads_[index_of(t)].status; }
  std::uint32_t steps(ThreadId t) const { return threads_[index_of(t)].steps; }
  std::vector<HeapObject> heap() const;

 private:
  friend class Machine;
  struct Object {
    bool is_array = false;
    std::vector<Value> units;
    std::uint32_t owner = 0;  // thread + 1, 0 = free
    SiteId site{};            // of an array
  };
  struct ThreadState {
    ThreadStatus status = ThreadStatus::Running;
    std::uint32_t steps = 0;
    Frames<Value> frames;
  };
  std::vector<ThreadState> threads_;
  std::vector<Object> heap_;
  std::uint32_t max_steps_ = 0;  // of each thread
};

class Machine {
 public:
  // Steps (visible or not) a thread may take before it is stopped.
  Machine(const Program& program, std::uint32_t max_steps_per_thread);
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  State initial(std::vector<Event>& trace) const;
  NextStep next(const State& state, ThreadId t) const;
  // Lets threads that were stopped go on for `steps` more, up to their next visible step.
  void extend(State& state, std::uint32_t steps, std::vector<Event>& trace) const;
  // Takes the thread's next visible step and the local steps after it. `choice` is the value of
  // `?`. REQUIRES: next(state, t) is enabled and not None.
  void step(State& state, ThreadId t, bool choice, std::vector<Event>& trace) const;
  std::string describe(const Location& location) const;

 private:
  class Runner;
  CompiledProgram compiled_;
  const Program& program_;
  std::uint32_t max_steps_;
};

}  // namespace bigfoot::bfj
