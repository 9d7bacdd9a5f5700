// A race as the detector hands it over: plain values, nothing resolved yet.
//
// report/ turns it into text and JSON. It knows nothing of clocks or shadow; whatever it needs to
// know about threads, stacks, blocks and locks it asks of `Facts`, which context/ implements.
#pragma once

#include "runtime/base/types.h"
#include "runtime/detect/access.h"
#include "runtime/sync/step_log.h"

namespace bigfoot::rt::report {

// A stack of return addresses, innermost first. The first entry is the access (or call) itself;
// others may be kOwnCalls.
inline constexpr usize kMaxFrames = 256;
struct Stack {
  Pc pcs[kMaxFrames];
  u32 count = 0;
  bool truncated = false;
};

// A lock held at an access. `address` is 0 where one place takes too many different locks to keep
// them apart (then only the place is known).
struct HeldLock {
  uptr address = 0;
  Origin taken = kNoOrigin;  // where it was locked
  bool read_mode = false;
};
inline constexpr usize kMaxShownLocks = 64;

struct Access {
  AccessKind kind = AccessKind::kRead;
  uptr address = 0;  // first byte of the access, if that is known (exact)
  u64 size = 0;
  ThreadId thread = kNoThread;
  Origin origin = kNoOrigin;
  u64 clock = 0;               // of the thread's slot; orders two accesses of one thread
  LocksetId locks = kNoLocks;  // that it held
  bool vptr = false;           // of an object's pointer to its virtual functions
  bool exact = true;           // the address is that of the first byte, not just of one of them
};

struct Race {
  Access current;
  Access previous;
  ByteRange overlap;  // the bytes both touch
};

enum class ThreadState : u8 { kRunning, kFinished };
struct ThreadFacts {
  ThreadId id = kNoThread;
  u32 os_id = 0;
  ThreadState state = ThreadState::kRunning;
  ThreadId creator = kNoThread;
  Origin created = kNoOrigin;
  bool is_fiber = false;
  char name[32] = {};
};

enum class ObjectKind : u8 { kUnknown, kHeap, kGlobal, kStack, kTls, kFd };
struct ObjectFacts {
  ObjectKind kind = ObjectKind::kUnknown;
  ByteRange bytes;  // heap block, stack or TLS block; globals are named by the symbolizer
  ThreadId thread = kNoThread;  // who allocated it / whose stack
  Origin allocated = kNoOrigin;
  bool freed = false;  // the block has ended
};

// Implemented by context/facts.cpp (and by a fake in the unit tests of report/).
class Facts {
 public:
  virtual void stack(Origin origin, Stack& out) const = 0;
  virtual ThreadFacts thread(ThreadId id) const = 0;
  virtual ObjectFacts object(uptr address) const = 0;
  // Fills at most kMaxShownLocks; returns how many there are in all.
  virtual usize locks(LocksetId held, HeldLock* out) const = 0;
  // What the thread synchronised with lately, oldest first; fills at most StepRing::kSteps and
  // returns how many. `lost`: how many came before them.
  virtual u32 steps(ThreadId id, SyncStep* out, u64& lost) const = 0;
  // Where the mutex came into being, kNoOrigin if unknown.
  virtual Origin lock_created(uptr address) const = 0;
  // The first byte of race.previous, as far as it can be found out, also if that is not exact.
  virtual uptr previous_begin(const Race& race) const = 0;

 protected:
  ~Facts() = default;
};

}  // namespace bigfoot::rt::report
