// A semispace collector: what can be reached is copied to the other half, in breadth-first order
// (Cheney), and everything left behind is gone.
#include <atomic>

#include "frontends/bfj/vm/heap.h"
#include "frontends/bfj/vm/space.h"

namespace bigfoot::vm {
namespace {

class Semispace final : public Heap {
 public:
  Semispace(Monitor& monitor, std::uint64_t bytes)
      : monitor_(monitor), lock_(monitor), halves_{Space(bytes / 2), Space(bytes / 2)} {
    for (const Space& s : halves_) spaces_.push_back({s.begin(), s.bytes()});
  }

  Object* allocate(const Actor& who, std::uint32_t units, bool is_array) override {
    Object* o = nullptr;
    {
      SystemMutex::Guard guard(lock_, who);
      o = halves_[current_].take(Object::bytes_for(units));
      if (o == nullptr) return nullptr;
      // Inside the lock: serials are given out in the order of the objects.
      initialise(o, ++serial_, units, is_array);
    }
    monitor_.system_write(who, memory_of(o), "allocator: zero");
    return o;
  }

  void collect(const Actor& who, const Roots& roots) override {
    Space& from = halves_[current_];
    Space& to = halves_[1 - current_];
    who_ = who;
    to.reset();
    moves_.clear();
    roots([&](Value& v) { v = forwarded(v, to); });
    for (std::uint64_t at = 0; at < to.used();) {
      auto* o = reinterpret_cast<Object*>(to.begin() + at);
      monitor_.system_read(who, words_of(o), "collector: scan");
      for (std::uint32_t i = 0; i < o->units; ++i) o->store(i, forwarded(o->load(i), to));
      monitor_.system_write(who, words_of(o), "collector: update");
      at += o->bytes();
    }
    const Memory gone{from.begin(), from.used()};
    monitor_.copied(who, moves_);
    monitor_.freed(who, std::span(&gone, 1));
    from.reset();
    current_ = 1 - current_;
  }

 private:
  Value forwarded(Value v, Space& to) {
    if (!v.is_object()) return v;
    Object* old = v.target();
    if (old->forward == nullptr) {
      const std::uint64_t bytes = old->bytes();
      Object* copy = to.take(bytes);  // there is room: the halves are of one size
      std::memcpy(copy, old, bytes);
      monitor_.system_read(who_, {address_of(old), bytes}, "collector: copy from");
      monitor_.system_write(who_, {address_of(copy), bytes}, "collector: copy to");
      moves_.push_back({address_of(old), address_of(copy), bytes});
      old->forward = copy;
    }
    return Value::object(old->forward);
  }

  Monitor& monitor_;
  SystemMutex lock_;  // guards the next three while the program runs
  Space halves_[2];
  unsigned current_ = 0;
  std::uint64_t serial_ = 0;

  Actor who_;  // of the collection
  std::vector<Move> moves_;
};

}  // namespace

std::unique_ptr<Heap> make_semispace(Monitor& monitor, std::uint64_t bytes) {
  return std::make_unique<Semispace>(monitor, bytes);
}

}  // namespace bigfoot::vm
