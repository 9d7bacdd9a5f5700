// Threads that exist only in the test: each has what the detector needs of a thread, and the test
// says who does what next. No real thread runs, so every interleaving is exactly the one written
// down.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <set>

#include "runtime/array/array_shadow.h"
#include "runtime/clock/slots.h"
#include "runtime/detect/detector.h"
#include "runtime/detect/quick_range.h"
#include "tests/model/happens_before.h"

namespace bigfoot::rt::testing {

// Memory of a test's own, so that histories do not meet; far from a region's ends.
uptr fresh_memory();
// The addresses of so many bytes.
std::set<uptr> bytes(uptr from, usize count);
// What a thread knows that nobody has told anything.
inline const VectorClock kNothing;

// For histories without synchronisation objects.
inline const SyncHooks kNoObjects{nullptr, nullptr, nullptr};

// The tables of a run time; reserved once for all tests, as in a process.
struct Tables {
  StampTable stamps;
  SlotTable slots;
  OriginDepot depot;
  static inline ReadSets sets;  // the cells of all tests name sets of one table
  VectorClock ended;            // everything that threads of finished runs did
  Tables() {
    stamps.initialise();
    slots.initialise();
    depot.initialise();
    sets.initialise();
    shadow::mosaics.initialise();
  }
};

// With BIGFOOT_TEST_CLAIMS in the environment blocks are claimed (shadow/claims.h), otherwise all
// are shared. Threads that are real stop each other by a door that each of them is in during an
// access.
class ScriptedThread {
 public:
  ScriptedThread(Tables& tables, const VectorClock& creator, int id);
  ~ScriptedThread();

  // Each returns the bytes a race was found on.
  std::set<uptr> read(uptr a, usize bytes) { return access(a, bytes, false); }
  std::set<uptr> write(uptr a, usize bytes) { return access(a, bytes, true); }
  // As an atomic access looks for plain ones.
  std::set<uptr> look(uptr a, usize bytes, bool writes) const;
  // Accesses to an array, as they are committed to its shadow. `f` has addresses; the lock is for
  // tests in which real threads share the array.
  std::set<uptr> commit(ArrayShadow& array, const Footprint& f, bool writes,
                        SpinLock* lock = nullptr);
  void acquire(const VectorClock& from) { knows_.join(from); }
  void release(VectorClock& to);
  const VectorClock& knows() const { return knows_; }
  const u64* rule_counts() const { return rule_counts_; }
  Stamp stamp() const { return lease_.stamp; }
  Slot slot() const { return lease_.slot; }
  // With the tests that instrumented code makes inline and the shortcut behind them, or with the
  // full rules only; the verdicts must be the same.
  void set_fast_path(bool on) { fast_path_ = on; }
  // Whether accesses to halves and quarters of words with a history leave them to masks, as those
  // without an inlined test do. Every second thread begins so.
  void set_masks(bool on) { masks_ = on; }
  // Accesses to several aligned words are checks of fields that belong together.
  void set_groups(bool on) { groups_ = on; }

  // The right to everything in the range becomes everybody's, as by whoever copies history.
  void share(ByteRange r);

 private:
  std::set<uptr> access(uptr a, usize bytes, bool writes);
  std::set<uptr> access_inside(uptr a, usize bytes, bool writes);
  void obtain(ByteRange r);
  Observer me() const { return {knows_, lease_.slot, lease_.stamp, tables_.stamps}; }
  Accessor accessor(uptr a, usize bytes, bool writes, const RaceSink& sink);
  bool settled_inline(uptr a, usize bytes, bool writes) const;
  bool group_settled_inline(ByteRange r, bool writes) const;
  template <bool kWrites>
  void group_access(ByteRange r, std::set<uptr>& racy);
  template <bool kWrites>
  Outcome quick_then_full(Accessor& who, ByteRange r);
  Parts look_at_parts(uptr a, usize bytes, bool writes) const;
  Quick quick(uptr a, usize bytes, bool writes, Accessor& who);
  void note(const Outcome& out);
  void tick();

  Tables& tables_;
  std::unique_ptr<std::mutex> door_ = std::make_unique<std::mutex>();
  std::unique_lock<std::mutex> inside_{*door_, std::defer_lock};
  VectorClock knows_;
  SlotLease lease_;
  bool recorded_ = false;
  bool fast_path_ = false;
  bool groups_ = false;
  bool masks_;
  abi::Frame bottom_{0, 0};
  OriginCache origins_{};
  ReadShareCache share_cache_;
  u64 rule_counts_[kRuleCount] = {};
};

// Runs a trace of the model on scripted threads. Addresses of the trace are offsets into `memory`.
class ScriptedRun {
 public:
  // A run starts after all earlier ones, so that their slots can be used again.
  ScriptedRun(Tables& tables, bool fast_path, bool groups = false)
      : tables_(tables), fast_path_(fast_path), groups_(groups) {
    start_.assign(tables.ended);
  }
  std::set<uptr> step(const model::Event& e);

 private:
  ScriptedThread& thread(int id);
  ScriptedThread& begin(int id, const VectorClock& creator);
  Tables& tables_;
  bool fast_path_;
  bool groups_;
  VectorClock start_;
  std::map<int, std::unique_ptr<ScriptedThread>> threads_;
  std::map<std::uint64_t, VectorClock> locks_;
};

}  // namespace bigfoot::rt::testing
