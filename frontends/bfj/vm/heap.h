// Memory for objects, and what a collector does to it.
//
// allocate() may be called by all workers at once. collect() is called with the world stopped. Both
// tell the monitor what they do to the memory the program sees.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "frontends/bfj/vm/monitor.h"
#include "frontends/bfj/vm/system_mutex.h"
#include "frontends/bfj/vm/value.h"

namespace bigfoot::vm {

// Calls its argument for every variable of every thread, and every shared one.
using Roots = std::function<void(const std::function<void(Value&)>&)>;

class Heap {
 public:
  virtual ~Heap() = default;
  // Zeroed; null if there is no room before the next collection.
  virtual Object* allocate(const Actor& who, std::uint32_t units, bool is_array) = 0;
  virtual void collect(const Actor& who, const Roots& roots) = 0;

  // Marking while the program runs, for heaps that can. In this order: begin with the world
  // stopped, mark_concurrently without, then collect(), which finds the rest.
  virtual bool marks_concurrently() const { return false; }
  virtual void begin_marking(const Actor&, const Roots&) {}
  virtual void mark_concurrently(const Actor&) {}
  // Before a reference in the heap is overwritten.
  virtual void overwriting(const Actor&, Value /*old*/) {}

  std::vector<Memory> spaces() const { return spaces_; }

 protected:
  std::vector<Memory> spaces_;  // where objects can be
};

std::unique_ptr<Heap> make_mark_sweep(Monitor& monitor, std::uint64_t bytes, bool concurrent);
std::unique_ptr<Heap> make_semispace(Monitor& monitor, std::uint64_t bytes);

}  // namespace bigfoot::vm
