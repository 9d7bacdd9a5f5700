#include "tests/placement/runtime_detector.h"

#include <map>
#include <memory>

#include "tests/unit/runtime/scripted_threads.h"

namespace bigfoot::bfj {
namespace {

using Kind = Event::Kind;
using rt::Footprint;
using rt::usize;

// Units are words; objects lie far apart from each other in memory nobody uses.
constexpr rt::uptr kHeap = 0x50000000;
constexpr rt::uptr kObjectBytes = 0x10000;
constexpr usize kUnit = 8;

rt::testing::Tables& tables() {
  static rt::testing::Tables t;
  return t;
}

struct Clock : rt::VectorClock {
  ~Clock() { release_storage(); }
};

class Array : public rt::ArrayShadow {
 public:
  Array(rt::ByteRange bytes, rt::ArrayForms forms) : rt::ArrayShadow{} { start(bytes, forms); }
  ~Array() { release_storage(); }
};

// One trace.
class Run {
 public:
  Run(const RuntimeDetector::Options& options, const std::vector<HeapObject>& heap)
      : options_(options), heap_(heap) {
    start_.assign(tables().ended);
    for (std::uint32_t o = 0; o < heap.size(); ++o) {
      rt::clear_history({begin_of(o), heap[o].units * kUnit + kUnit}, nullptr, nullptr);
    }
  }

  std::set<Location> finish() {
    for (const auto& [thread, ignored] : threads_) commit(thread);
    return options_.shadow.stand_for(racy_, heap_);
  }

  void step(const Event& e) {
    if (e.is_access() || e.is_check()) {
      if (e.is_check() == (options_.looks == RuntimeDetector::Looks::AtChecks)) access(e);
      return;
    }
    if (e.is_name()) return;
    // Whoever synchronises first tells the shadows what it did.
    commit(e.thread);
    rt::testing::ScriptedThread& t = thread(e.thread);
    switch (e.kind) {
      case Kind::Acquire:
        return t.acquire(locks_[e.location.object]);
      case Kind::Release:
        return t.release(locks_[e.location.object]);
      case Kind::VolatileRead:
        return t.acquire(volatiles_[e.location]);
      case Kind::VolatileWrite:
        return t.release(volatiles_[e.location]);
      case Kind::Fork: {
        Clock published;
        t.release(published);
        thread(e.other).acquire(published);
        return;
      }
      case Kind::Join:
        commit(e.other);
        return t.acquire(thread(e.other).knows());
      default:
        return;
    }
  }

 private:
  struct Pending {
    std::uint32_t object;
    bool writes;
    Footprint f;  // addresses
  };

  static rt::uptr begin_of(std::uint32_t object) { return kHeap + object * kObjectBytes; }
  static rt::uptr address_of(const Location& l) { return begin_of(l.object) + l.unit * kUnit; }
  Location location_of(rt::uptr address) const {
    const auto object = static_cast<std::uint32_t>((address - kHeap) / kObjectBytes);
    const auto unit = static_cast<std::uint32_t>((address - begin_of(object)) / kUnit);
    return {object, unit, heap_[object].is_array};
  }

  rt::testing::ScriptedThread& thread(ThreadId id) {
    auto& t = threads_[id];
    if (t == nullptr) {
      t = std::make_unique<rt::testing::ScriptedThread>(tables(), start_,
                                                        static_cast<int>(index_of(id)));
    }
    return *t;
  }

  void access(const Event& e) {
    const bool writes = e.kind == Kind::Write || e.kind == Kind::CheckWrite;
    // A check outside the array, if there ever is one, is the oracle's to find.
    if (e.location.unit >= heap_[e.location.object].units) return;
    if (options_.shadow.shadow_of(e.location, heap_) != e.location) return;
    const rt::uptr a = address_of(e.location);
    rt::testing::ScriptedThread& t = thread(e.thread);
    if (!e.location.is_element || !options_.forms) {
      note(writes ? t.write(a, kUnit) : t.read(a, kUnit));
      return;
    }
    auto& pending = pending_[e.thread];
    // A loop alternates between a few arrays.
    constexpr std::size_t kRecent = 4;
    for (std::size_t i = pending.size(), n = 0; i-- > 0 && n < kRecent; ++n) {
      Pending& p = pending[i];
      if (p.object == e.location.object && p.writes == writes && p.f.extend(a)) return;
    }
    pending.push_back({e.location.object, writes, Footprint::one(a, kUnit)});
  }

  void commit(ThreadId id) {
    rt::testing::ScriptedThread& t = thread(id);
    std::vector<Pending> pending;
    pending.swap(pending_[id]);
    for (const Pending& p : pending) note(t.commit(array(p.object), p.f, p.writes));
  }

  Array& array(std::uint32_t object) {
    auto& a = arrays_[object];
    if (a == nullptr) {
      const rt::ByteRange bytes{begin_of(object), heap_[object].units * kUnit};
      a = std::make_unique<Array>(bytes, *options_.forms);
    }
    return *a;
  }

  void note(const std::set<rt::uptr>& bytes) {
    for (rt::uptr a : bytes) racy_.insert(location_of(a));
  }

  const RuntimeDetector::Options& options_;
  const std::vector<HeapObject>& heap_;
  Clock start_;
  std::map<ThreadId, std::unique_ptr<rt::testing::ScriptedThread>> threads_;
  std::map<ThreadId, std::vector<Pending>> pending_;
  std::map<std::uint32_t, std::unique_ptr<Array>> arrays_;
  std::map<std::uint32_t, Clock> locks_;
  std::map<Location, Clock> volatiles_;
  std::set<Location> racy_;
};

}  // namespace

std::set<Location> RuntimeDetector::reports(const std::vector<Event>& trace,
                                            const std::vector<HeapObject>& heap) {
  Run run(options_, heap);
  for (const Event& e : trace) run.step(e);
  return run.finish();
}

}  // namespace bigfoot::bfj
