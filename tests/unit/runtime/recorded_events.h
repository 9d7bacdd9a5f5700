// A core for the tests of the interceptors that only writes down what it is told
// (context/events.h).
//
// While a Recording exists, events of all threads are kept in order; before and after,
// inside_runtime() is true and the interceptors pass everything through. An event can be watched:
// the function runs at that moment, so that a test can look at the state of the real world then (is
// the mutex still held?).
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "runtime/context/events.h"

namespace bigfoot::rt::testing {

struct Event {
  u32 thread;        // T0 is the thread that records
  std::string what;  // name of the function in events.h, with its mode
  uptr object;
  usize size = 0;
};

class Recording {
 public:
  Recording();
  ~Recording();
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

  // "T0 mutex_locked write", ... of the events on this object, in order.
  std::vector<std::string> on(const volatile void* object) const;
  // The same with sizes for events on memory inside [begin, begin + bytes): "T0 access read 3..7".
  std::vector<std::string> in(const volatile void* begin, usize bytes) const;
  std::vector<std::string> named(const std::string& what) const;  // "T0 0x...": thread and object
  usize count(const std::string& what) const;

  // Calls f at every event of this name on this object.
  void at(const std::string& what, const volatile void* object, std::function<void()> f);
};

// The thread counts as being inside the run time, as while a report is printed.
// The lock that this thread tried last. No event: it is a hint about schedules.
inline thread_local uptr last_tried = 0;

class InsideRuntime {
 public:
  InsideRuntime();
  ~InsideRuntime();  // leaves, and lets waiting signals be delivered as the core does
};

// What process_ending was told, and what it answers: wanted plus this.
inline constexpr int kExitCodeOffset = 40;

}  // namespace bigfoot::rt::testing
