// A report with everything looked up: what text, JSON, suppressions and the hooks are made from.
//
// Lives in its own ReportMemory, so that the program's hooks can look at it while other threads
// report; names and frames belong to the SymbolCache and are never freed.
#pragma once

#include "abi/fields.h"
#include "runtime/report/race.h"
#include "runtime/report/symbol_cache.h"

namespace bigfoot::rt::report {

// Bump memory that goes away as a whole.
class ReportMemory {
 public:
  ReportMemory();
  ~ReportMemory();
  ReportMemory(const ReportMemory&) = delete;
  ReportMemory& operator=(const ReportMemory&) = delete;

  bool ok() const { return base_ != nullptr; }
  // Zeroed; null when all is used.
  template <class T>
  T* make(usize count = 1) {
    return static_cast<T*>(allocate(sizeof(T) * count));
  }

 private:
  void* allocate(usize bytes);
  char* base_ = nullptr;
  usize used_ = 0;
};

// Frames of the run time itself and of program and thread start are already taken off.
struct ResolvedStack {
  const ResolvedPc* const* pcs = nullptr;
  u32 count = 0;
  bool truncated = false;
  // For each of the pcs, if any is: its function called itself, and only the innermost of these
  // calls is in the stack.
  const bool* recursive = nullptr;
};

// One line of a stack.
struct FrameRef {
  const ResolvedPc* at = nullptr;
  const SourceFrame* source = nullptr;
  bool inlined = false;    // into the frame below it
  bool recursive = false;  // calls of the function between this one and the next frame are not kept
};

// Visits the functions of a stack, inlined ones included, innermost first; stops when visit() is
// false.
template <class F>
void for_each_frame(const ResolvedStack& stack, F visit) {
  for (u32 i = 0; i < stack.count; ++i) {
    const ResolvedPc& pc = *stack.pcs[i];
    const bool recursive = stack.recursive != nullptr && stack.recursive[i];
    for (u32 j = 0; j < pc.frame_count; ++j) {
      const bool inlined = j + 1 < pc.frame_count;
      if (!visit(FrameRef{&pc, &pc.frames[j], inlined, recursive && !inlined})) return;
    }
  }
}

// The frame that says most to the user: the innermost one outside the system's headers, or simply
// the innermost. `source` is null for an empty stack.
FrameRef headline(const ResolvedStack& stack);
bool is_system_file(Text file);

struct ReportMutex {
  uptr address = 0;  // 0: not known which one
  ResolvedStack created;
  Text name;  // of the variable it is, if it has a fixed address
};

struct ReportHeldLock {
  u32 mutex = 0;  // index into Report::mutexes
  bool read_mode = false;
  ResolvedStack taken;
};

struct ReportAccess {
  Access access;
  ResolvedStack stack;
  ReportHeldLock* locks = nullptr;
  u32 lock_count = 0;
  u64 lock_total = 0;  // some may be more than are shown
  Text field;          // the member accessed, `Account::balance`; empty if it is not known
  Text or_at;          // other places where it may have been instead of the stack's first, in lines

  // Both, from what the check's position says (abi/fields.h).
  void set_told(Text text) {
    const usize name = text.find(abi::kOtherPlace);
    field = text.take_front(name);
    or_at = text.drop_front(name + 1);
  }
};

// A step of synchronisation around an access.
struct ReportStep {
  SyncStep step;
  ResolvedStack stack;
  Text name;  // of the object, if it is a variable with a fixed address
};

inline constexpr usize kStepKinds = static_cast<usize>(StepKind::kJoin) + 1;
extern const char* const kStepNames[kStepKinds];
inline Text step_name(StepKind k) {
  return kStepNames[static_cast<usize>(k)];
}

// What a thread of the two accesses did around its access, oldest first.
struct ReportHistory {
  ThreadId thread = kNoThread;
  ReportStep* steps = nullptr;
  u32 count = 0;
  bool incomplete = false;  // earlier steps were not kept
};

// The process, so that it can be run again.
struct ReportRun {
  Text command;  // arguments, each with a zero behind it
  Text folder;
  Text options;  // BIGFOOT_OPTIONS as they were
  u64 perturb = 0;
};

struct ReportThread {
  ThreadFacts facts;
  ResolvedStack created;
};

struct ReportObject {
  uptr address = 0;
  ObjectFacts facts;
  ResolvedStack allocated;
  const ResolvedGlobal* global = nullptr;
  ModuleAddress at;  // its place in a file, if it lies in one
};

// What the locks held say about the missing order.
enum class LockVerdict : u8 {
  kNothing,        // at least one side holds none, or they do share one
  kNoneInCommon,   // both hold locks, but different ones
  kOnlyReadModes,  // they share locks, but both sides hold them for reading only
};

enum class ReportKind : u8 { kRace, kVptrRace, kUseAfterFree, kFinding };

inline constexpr u32 kMaxReportThreads = 64;
inline constexpr u32 kMaxReportMutexes = 2 * kMaxShownLocks;

struct Report {
  ReportKind kind = ReportKind::kRace;
  const char* title = "";
  u32 pid = 0;
  u64 time_ms = 0;  // since 1970
  u64 fingerprint = 0;
  ByteRange overlap;
  ReportAccess* accesses = nullptr;  // current, previous; none for a finding
  u32 access_count = 0;
  ThreadId thread = kNoThread;  // findings: who did it
  ResolvedStack where;          // findings: where
  ReportObject object;
  ReportMutex* mutexes = nullptr;
  u32 mutex_count = 0;
  ReportThread* threads = nullptr;
  u32 thread_count = 0;
  LockVerdict locks = LockVerdict::kNothing;
  ReportHistory* histories = nullptr;
  u32 history_count = 0;
  ReportRun run;
};

}  // namespace bigfoot::rt::report
