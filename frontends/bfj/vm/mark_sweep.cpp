// A mark-sweep collector. Objects stay where they are; what is not marked is put on a list of free
// blocks of its size, whose links are kept in the blocks.
//
// Marking may run beside the program. It sees the heap as it was when it began: a reference that
// the program overwrites meanwhile is marked as well, and new objects are born marked (snapshot at
// the beginning). The last part, with the world stopped, drains what was overwritten, then sweeps.
#include <atomic>
#include <map>

#include "frontends/bfj/vm/heap.h"
#include "frontends/bfj/vm/space.h"

namespace bigfoot::vm {
namespace {

class MarkSweep final : public Heap {
 public:
  MarkSweep(Monitor& monitor, std::uint64_t bytes, bool concurrent)
      : monitor_(monitor),
        concurrent_(concurrent),
        lock_(monitor),
        overwritten_lock_(monitor),
        space_(bytes) {
    spaces_.push_back({space_.begin(), space_.bytes()});
  }

  Object* allocate(const Actor& who, std::uint32_t units, bool is_array) override {
    const std::uint64_t bytes = Object::bytes_for(units);
    Object* o = nullptr;
    {
      SystemMutex::Guard guard(lock_, who);
      Object*& first = free_[bytes];
      if (first != nullptr) {
        o = first;
        monitor_.system_read(who, link_of(o), "allocator: take from free list");
        first = o->forward;
      } else {
        o = space_.take(bytes);
      }
      if (o == nullptr) return nullptr;
      initialise(o, ++serial_, units, is_array);
      o->marked = marking_.load(std::memory_order_relaxed);
    }
    monitor_.system_write(who, memory_of(o), "allocator: zero");
    return o;
  }

  void collect(const Actor& who, const Roots& roots) override {
    if (!marking_.load(std::memory_order_relaxed)) begin_marking(who, roots);
    for (Value v : overwritten_) mark(v);
    overwritten_.clear();
    trace(who);
    marking_.store(false, std::memory_order_relaxed);
    sweep(who);
  }

  bool marks_concurrently() const override { return concurrent_; }
  void begin_marking(const Actor& who, const Roots& roots) override {
    marking_.store(true, std::memory_order_relaxed);
    roots([&](Value& v) { mark(v); });
    (void)who;
  }
  void mark_concurrently(const Actor& who) override { trace(who); }

  void overwriting(const Actor& who, Value old) override {
    if (!old.is_object() || !marking_.load(std::memory_order_relaxed)) return;
    SystemMutex::Guard guard(overwritten_lock_, who);
    overwritten_.push_back(old);
  }

 private:
  static Memory link_of(const Object* o) { return {address_of(&o->forward), sizeof o->forward}; }

  void mark(Value v) {
    if (!v.is_object()) return;
    Object* o = v.target();
    if (__atomic_exchange_n(&o->marked, 1, __ATOMIC_RELAXED) == 0) grey_.push_back(o);
  }

  void trace(const Actor& who) {
    while (!grey_.empty()) {
      Object* o = grey_.back();
      grey_.pop_back();
      monitor_.system_read(who, words_of(o), "collector: mark");
      for (std::uint32_t i = 0; i < o->units; ++i) mark(o->load(i));
    }
  }

  void sweep(const Actor& who) {
    std::vector<Memory> dead;
    for (std::uint64_t at = 0; at < space_.used();) {
      auto* o = reinterpret_cast<Object*>(space_.begin() + at);
      at += o->bytes();
      if (o->marked != 0) {
        o->marked = 0;
        continue;
      }
      if (o->serial == 0) continue;  // free already
      dead.push_back(memory_of(o));
      monitor_.system_write(who, link_of(o), "collector: put on free list");
      o->serial = 0;
      Object*& first = free_[o->bytes()];
      o->forward = first;
      first = o;
    }
    monitor_.freed(who, dead);
  }

  Monitor& monitor_;
  const bool concurrent_;
  std::atomic<bool> marking_ = false;  // changed with the world stopped
  SystemMutex lock_;                   // guards the next three while the program runs
  std::map<std::uint64_t, Object*> free_;
  std::uint64_t serial_ = 0;
  SystemMutex overwritten_lock_;  // guards the next one while the program runs
  std::vector<Value> overwritten_;
  Space space_;
  std::vector<Object*> grey_;  // the collector's own
};

}  // namespace

std::unique_ptr<Heap> make_mark_sweep(Monitor& monitor, std::uint64_t bytes, bool concurrent) {
  return std::make_unique<MarkSweep>(monitor, bytes, concurrent);
}

}  // namespace bigfoot::vm
