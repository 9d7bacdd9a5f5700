#include "frontends/bfj/vm/interpreter.h"

#include "frontends/bfj/vm/evaluate.h"
#include "frontends/bfj/vm/space.h"

namespace bigfoot::vm {
namespace {

constexpr std::size_t kMaxFrames = 4096;
constexpr std::int64_t kMaxArray = std::int64_t{1} << 20;

bfj::Location location_of(const Object* o, std::uint32_t unit) {
  return {static_cast<std::uint32_t>(o->serial), unit, o->is_array != 0};
}

}  // namespace

// One thread on one worker, for a while.
class Interpreter::Turn {
 public:
  using Op = bfj::Code::Op;
  using Instruction = bfj::Code::Instruction;
  Turn(Interpreter& vm, Green& green, const Actor& who) : vm_(vm), green_(green), who_(who) {}

  Progress run(std::uint32_t quantum) {
    for (std::uint32_t i = 0; i < quantum; ++i) {
      vm_.services_.safepoint(who_);
      ++green_.instructions;
      blocked_ = false;
      execute(instruction());
      if (blocked_) return Progress::Blocked;
      if (out_of_memory_) return Progress::OutOfMemory;
      if (green_.frames.empty()) return Progress::Ended;
    }
    return Progress::TimeIsUp;
  }

 private:
  Frame& frame() { return green_.frames.back(); }
  const Instruction& instruction() { return frame().code->instructions[frame().pc]; }
  Value& slot(std::int32_t n) { return frame().slots[static_cast<std::size_t>(n)]; }
  std::optional<Value> value_of(const bfj::Expr& e) { return evaluate(e, frame(), green_.choices); }

  void ends_with(const bfj::SourcePos& pos, const char* what) {
    green_.fault = std::to_string(pos.line) + ":" + std::to_string(pos.column) + ": " + what;
    green_.frames.clear();
  }
  void fault(const char* what) { ends_with(instruction().pos, what); }

  void execute(const Instruction& i) {
    const auto truth_of = [&](const bfj::Expr& e) -> std::optional<bool> {
      const auto v = value_of(e);
      if (!v) return std::nullopt;
      return v->truth();
    };
    switch (bfj::control_step(green_.frames, i, truth_of)) {
      case bfj::Control::None:
        return compute(i);
      case bfj::Control::Moved:
      case bfj::Control::Ended:
        return;
      case bfj::Control::Uncaught:
        return ends_with(i.pos, "uncaught exception");
      case bfj::Control::Faulted:
        return fault("arithmetic");
    }
  }

  void compute(const Instruction& i) {
    switch (i.op) {
      case Op::Nop:
      case Op::Check:  // the monitor is told of every access
        break;
      case Op::Assign: {
        const auto v = value_of(*i.value);
        if (!v) return fault("arithmetic");
        slot(i.a) = *v;
        break;
      }
      case Op::Copy:
        slot(i.a) = slot(i.b);
        break;
      case Op::ReadField:
      case Op::WriteField:
        return access(i, i.target, i.op == Op::WriteField);
      case Op::ReadElement:
      case Op::WriteElement: {
        const auto index = value_of(*i.index);
        if (!index || !index->is_integer() || index->number() < 0 || index->number() > kMaxArray)
          return fault("index out of range");
        return access(i, static_cast<std::uint32_t>(index->number()), i.op == Op::WriteElement);
      }
      case Op::New:
        return allocate(i, static_cast<std::int64_t>(vm_.program_.fields.size()), false);
      case Op::NewArray: {
        const auto length = value_of(*i.value);
        if (!length || !length->is_integer()) return fault("length of an array");
        return allocate(i, length->number(), true);
      }
      case Op::Lock:
        return lock(i);
      case Op::Unlock:
        return unlock(i);
      case Op::Join:
        return join(i);
      case Op::Call:
      case Op::Fork:
        return invoke(i);
      default:  // control_step
        return;
    }
    ++frame().pc;
  }

  // ---- the heap ----

  void access(const Instruction& i, std::uint32_t unit, bool writes) {
    const Value base = slot(i.b);
    if (!base.is_object()) return fault("access to null");
    Object* o = base.target();
    const bool element = i.op == Op::ReadElement || i.op == Op::WriteElement;
    if (element != (o->is_array != 0) || unit >= o->units) return fault("no such field or element");
    std::optional<Value> stored;
    if (writes) {
      stored = value_of(*i.value);
      if (!stored) return fault("arithmetic");
    }
    if (i.is_volatile) {
      volatile_access(i, o, unit, stored);
    } else {
      const ProgramAccess a{address_of(&o->words()[unit]), writes, &i, location_of(o, unit)};
      if (vm_.monitor_.access(who_, a) == Verdict::Race) {
        if (!bfj::unwind(green_.frames)) ends_with(i.pos, "uncaught data-race exception");
        return;
      }
      perform(i, o, unit, stored);
    }
    ++frame().pc;
  }
  void perform(const Instruction& i, Object* o, std::uint32_t unit, std::optional<Value> stored) {
    if (!stored) {
      slot(i.a) = o->load(unit);
      return;
    }
    vm_.services_.overwriting(who_, o->load(unit));
    o->store(unit, *stored);
  }
  void volatile_access(const Instruction& i, Object* o, std::uint32_t unit,
                       std::optional<Value> stored) {
    const ProgramSync s{address_of(&o->words()[unit]), true, location_of(o, unit)};
    std::lock_guard<std::mutex> one_step(vm_.volatiles_);
    const Memory word{s.address, sizeof(std::uint64_t)};
    if (stored)
      vm_.monitor_.system_write(who_, word, "volatile field: write");
    else
      vm_.monitor_.system_read(who_, word, "volatile field: read");
    if (stored) vm_.monitor_.release(who_, s);
    perform(i, o, unit, stored);
    if (!stored) vm_.monitor_.acquire(who_, s);
  }

  void allocate(const Instruction& i, std::int64_t units, bool is_array) {
    if (units < 0 || units > kMaxArray) return fault("length of an array");
    Object* o = vm_.services_.allocate(who_, static_cast<std::uint32_t>(units), is_array);
    if (o == nullptr) {
      out_of_memory_ = true;
      return fault("out of memory");
    }
    slot(i.a) = Value::object(o);
    ++frame().pc;
  }

  // ---- synchronisation ----

  static ProgramSync lock_of(const Object* o) {
    return {address_of(&o->owner), false, {static_cast<std::uint32_t>(o->serial), 0, false}};
  }
  static Memory lock_word(const Object* o) { return {address_of(&o->owner), sizeof o->owner}; }
  void lock(const Instruction& i) {
    if (!slot(i.b).is_object()) return fault("lock of null");
    Object* o = slot(i.b).target();
    vm_.monitor_.system_write(who_, lock_word(o), "lock word: try to take");
    std::uint32_t nobody = 0;
    if (!__atomic_compare_exchange_n(&o->owner, &nobody, green_.id + 1, false, __ATOMIC_ACQUIRE,
                                     __ATOMIC_RELAXED)) {
      blocked_ = true;
      return;
    }
    vm_.monitor_.acquire(who_, lock_of(o));
    ++frame().pc;
  }
  void unlock(const Instruction& i) {
    if (!slot(i.b).is_object()) return fault("unlock of null");
    Object* o = slot(i.b).target();
    if (__atomic_load_n(&o->owner, __ATOMIC_RELAXED) != green_.id + 1)
      return fault("unlock of a lock that is not held");
    vm_.monitor_.release(who_, lock_of(o));
    vm_.monitor_.system_write(who_, lock_word(o), "lock word: give back");
    __atomic_store_n(&o->owner, 0, __ATOMIC_RELEASE);
    vm_.services_.lock_released(who_);
    ++frame().pc;
  }
  void join(const Instruction& i) {
    if (!slot(i.b).is_thread()) return fault("join of something that is no thread");
    const std::uint32_t child = slot(i.b).thread_number();
    if (!vm_.services_.has_ended(who_, child)) {
      blocked_ = true;
      return;
    }
    vm_.monitor_.joined(who_, child);
    ++frame().pc;
  }

  // ---- calls ----

  void invoke(const Instruction& i) {
    if (!slot(i.b).is_object()) return fault("call on null");
    auto callee = bfj::frame_for(*vm_.program_.code[i.target], i, slot(i.b),
                                 [&](const bfj::Expr& e) { return value_of(e); });
    if (!callee) return fault("arithmetic");
    if (i.op == Op::Fork) return fork(i, std::move(*callee));
    if (green_.frames.size() >= kMaxFrames) return fault("stack overflow");
    callee->result_slot = i.a;
    ++frame().pc;
    green_.frames.push_back(std::move(*callee));
  }
  void fork(const Instruction& i, Frame start) {
    Green& child = vm_.services_.create(who_);
    child.frames.push_back(std::move(start));
    if (i.a >= 0) slot(i.a) = Value::thread(child.id);
    vm_.monitor_.forked(who_, child.id);
    vm_.services_.start(who_, child);
    ++frame().pc;
  }
  Interpreter& vm_;
  Green& green_;
  const Actor who_;
  bool blocked_ = false;
  bool out_of_memory_ = false;
};

Progress Interpreter::run(Green& green, const Actor& who, std::uint32_t quantum) {
  return Turn(*this, green, who).run(quantum);
}

}  // namespace bigfoot::vm
