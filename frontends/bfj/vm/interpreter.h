// Executes the code of one thread until its time is up, it has to wait, it ends, or the heap is
// full.
#pragma once

#include <mutex>
#include <optional>

#include "frontends/bfj/vm/green.h"
#include "frontends/bfj/vm/monitor.h"

namespace bigfoot::vm {

enum class Progress : std::uint8_t { TimeIsUp, Blocked, Ended, OutOfMemory };

// What the interpreter needs of the rest of the run time.
class Services {
 public:
  virtual ~Services() = default;
  // May collect: objects move, and the variables of all frames follow. Null if memory is used up.
  virtual Object* allocate(const Actor& who, std::uint32_t units, bool is_array) = 0;
  virtual void overwriting(const Actor& who, Value old) = 0;
  virtual void safepoint(const Actor& who) = 0;
  virtual Green& create(const Actor& who) = 0;
  virtual void start(const Actor& who, Green& child) = 0;
  virtual bool has_ended(const Actor& who, std::uint32_t thread) = 0;
  // A lock has become free.
  virtual void lock_released(const Actor& who) = 0;
};

class Interpreter {
 public:
  Interpreter(const bfj::CompiledProgram& program, Services& services, Monitor& monitor)
      : program_(program), services_(services), monitor_(monitor) {}

  Progress run(Green& green, const Actor& who, std::uint32_t quantum);

 private:
  class Turn;
  const bfj::CompiledProgram& program_;
  Services& services_;
  Monitor& monitor_;
  std::mutex volatiles_;  // makes an access to a volatile field and its ordering one step
};

}  // namespace bigfoot::vm
