#include "frontends/bfj/machine.h"

#include <algorithm>
#include <map>
#include <optional>

namespace bigfoot::bfj {
namespace {

constexpr std::size_t kMaxHeapObjects = 4096;
constexpr std::int64_t kMaxArray = 4096;
constexpr std::size_t kMaxFrames = 64;
constexpr std::size_t kMaxThreads = 16;

}  // namespace

// One thread of a state.
class Machine::Runner final : private Environment {
 public:
  using Op = Code::Op;
  Runner(const Machine& m, State& s, ThreadId t, std::vector<Event>* trace)
      : m_(m), s_(s), t_(t), trace_(trace) {}

  // Local steps up to the next visible one.
  void run_to_visible() {
    while (thread().status == ThreadStatus::Running && !is_visible()) {
      if (!count_step()) return;
      execute(false);
    }
  }
  void take_visible(bool choice) {
    if (!count_step()) return;
    execute(choice);
    run_to_visible();
  }

  NextStep next() const {
    NextStep n{NextStep::Kind::None, {}, false, {}, true};
    if (thread().status != ThreadStatus::Running) return n;
    const auto& i = instruction();
    if (i.chooses) {
      n.kind = NextStep::Kind::Choice;
      return n;
    }
    const Value base = i.b >= 0 ? frame().slots[static_cast<std::size_t>(i.b)] : Value{};
    const std::uint32_t object = static_cast<std::uint32_t>(base.number);
    switch (i.op) {
      case Op::ReadField:
      case Op::WriteField:
        n.kind = i.is_volatile ? NextStep::Kind::Volatile : NextStep::Kind::Access;
        n.location = {object, i.target, false};
        n.is_write = i.op == Op::WriteField;
        return n;
      case Op::ReadElement:
      case Op::WriteElement: {
        n.kind = NextStep::Kind::Access;
        const auto index = evaluate(*i.index, false);
        n.location = {object, index ? static_cast<std::uint32_t>(index->number) : 0, true};
        n.is_write = i.op == Op::WriteElement;
        return n;
      }
      case Op::Lock:
        n.kind = NextStep::Kind::Lock;
        n.location.object = object;
        n.enabled = base.kind != Value::Kind::Object || s_.heap_[object].owner == 0;
        return n;
      case Op::Unlock:
        n.kind = NextStep::Kind::Unlock;
        n.location.object = object;
        return n;
      case Op::Join:
        n.kind = NextStep::Kind::Join;
        n.other = ThreadId{object};
        n.enabled = base.kind != Value::Kind::Thread ||
                    s_.threads_[object].status == ThreadStatus::Finished;
        return n;
      case Op::Fork:
        n.kind = NextStep::Kind::Fork;
        return n;
      default:
        return n;
    }
  }

 private:
  State::ThreadState& thread() const { return s_.threads_[index_of(t_)]; }
  Frame<Value>& frame() const { return thread().frames.back(); }
  const Code& code() const { return *frame().code; }
  const Code::Instruction& instruction() const { return code().instructions[frame().pc]; }

  bool is_visible() const {
    const auto& i = instruction();
    if (i.chooses) return true;
    switch (i.op) {
      case Op::ReadField:
      case Op::WriteField:
      case Op::ReadElement:
      case Op::WriteElement:
      case Op::Lock:
      case Op::Unlock:
      case Op::Join:
      case Op::Fork:
        return true;
      default:
        return false;
    }
  }

  bool count_step() {
    const Op op = instruction().op;
    if (op == Op::Check || op == Op::Copy) return true;
    if (++thread().steps <= s_.max_steps_) return true;
    thread().status = ThreadStatus::OutOfSteps;
    return false;
  }
  void fault() { thread().status = ThreadStatus::Faulted; }

  void record(Event::Kind kind, Location location, ThreadId other = {}) {
    record({.kind = kind, .location = location, .other = other});
  }
  void record(Event e) {
    if (trace_ == nullptr) return;
    e.thread = t_;
    e.step = thread().steps;
    e.pos = instruction().pos;
    trace_->push_back(e);
  }

  // ---- Expressions ----

  std::optional<Value> evaluate(const Expr& e, bool choice) const {
    return bfj::evaluate(e, *this, choice);
  }
  Value variable(const std::string& name) const override {
    return frame().slots[static_cast<std::size_t>(code().slots.at(name))];
  }
  std::optional<std::int64_t> length_of(const Value& array) const override {
    if (array.kind != Value::Kind::Object) return std::nullopt;
    const auto& o = s_.heap_[static_cast<std::size_t>(array.number)];
    if (!o.is_array) return std::nullopt;
    return static_cast<std::int64_t>(o.units.size());
  }

  // ---- Instructions ----

  Value& slot(std::int32_t i) { return frame().slots[static_cast<std::size_t>(i)]; }

  void execute(bool choice) {
    const Code::Instruction& i = instruction();
    const auto truth_of = [&](const Expr& e) -> std::optional<bool> {
      const auto v = evaluate(e, choice);
      if (!v) return std::nullopt;
      return truth(*v);
    };
    switch (control_step(thread().frames, i, truth_of)) {
      case Control::None:
        return compute(i, choice);
      case Control::Moved:
        return;
      case Control::Ended:
      case Control::Uncaught:
        thread().status = ThreadStatus::Finished;
        return;
      case Control::Faulted:
        return fault();
    }
  }

  void compute(const Code::Instruction& i, bool choice) {
    switch (i.op) {
      case Op::Nop:
        break;
      case Op::Assign: {
        const auto v = evaluate(*i.value, choice);
        if (!v) return fault();
        slot(i.a) = *v;
        break;
      }
      case Op::Copy:
        slot(i.a) = slot(i.b);
        break;
      case Op::ReadField:
      case Op::WriteField:
      case Op::ReadElement:
      case Op::WriteElement:
        if (!access(i, choice)) return fault();
        break;
      case Op::New:
        if (!allocate(i, static_cast<std::int64_t>(m_.compiled_.fields.size()))) return fault();
        break;
      case Op::NewArray: {
        const auto v = evaluate(*i.value, choice);
        if (!v || v->kind != Value::Kind::Int || !allocate(i, v->number)) return fault();
        break;
      }
      case Op::Lock:
      case Op::Unlock:
      case Op::Join:
        if (!synchronise(i)) return fault();
        break;
      case Op::Call:
      case Op::Fork:
        if (!invoke(i)) return fault();
        return;
      case Op::Check:
        check(*i.check);
        break;
      default:  // control_step
        return;
    }
    ++frame().pc;
  }

  State::Object* object(const Value& v) {
    return v.kind == Value::Kind::Object ? &s_.heap_[static_cast<std::size_t>(v.number)] : nullptr;
  }

  bool access(const Code::Instruction& i, bool choice) {
    const Value base = slot(i.b);
    State::Object* o = object(base);
    const bool element = i.op == Op::ReadElement || i.op == Op::WriteElement;
    const bool write = i.op == Op::WriteField || i.op == Op::WriteElement;
    if (o == nullptr || o->is_array != element) return false;
    std::int64_t unit = i.target;
    if (element) {
      const auto index = evaluate(*i.index, choice);
      if (!index || index->kind != Value::Kind::Int) return false;
      unit = index->number;
    }
    if (unit < 0 || unit >= static_cast<std::int64_t>(o->units.size())) return false;
    std::optional<Value> stored;
    if (write && !(stored = evaluate(*i.value, choice))) return false;
    const Location location{static_cast<std::uint32_t>(base.number),
                            static_cast<std::uint32_t>(unit), element};
    if (i.is_volatile) {
      record(write ? Event::Kind::VolatileWrite : Event::Kind::VolatileRead, location);
    } else {
      record({.kind = write ? Event::Kind::Write : Event::Kind::Read,
              .location = location,
              .source = i.stmt});
    }
    Value& cell = o->units[static_cast<std::size_t>(unit)];
    if (write) {
      cell = *stored;
    } else {
      slot(i.a) = cell;
    }
    return true;
  }

  bool allocate(const Code::Instruction& i, std::int64_t length) {
    if (length < 0 || length > kMaxArray || s_.heap_.size() >= kMaxHeapObjects) return false;
    slot(i.a) = {Value::Kind::Object, static_cast<std::int64_t>(s_.heap_.size())};
    s_.heap_.push_back({i.op == Op::NewArray, std::vector<Value>(static_cast<std::size_t>(length)),
                        0, SiteId{i.target}});
    return true;
  }

  bool synchronise(const Code::Instruction& i) {
    const Value v = slot(i.b);
    const Location location{static_cast<std::uint32_t>(v.number), 0, false};
    if (i.op == Op::Join) {
      if (v.kind != Value::Kind::Thread) return false;
      record(Event::Kind::Join, {}, ThreadId(v.number));
      return true;
    }
    State::Object* o = object(v);
    if (o == nullptr) return false;
    const std::uint32_t self = static_cast<std::uint32_t>(index_of(t_)) + 1;
    if (i.op == Op::Lock) {
      o->owner = self;
      record(Event::Kind::Acquire, location);
      return true;
    }
    if (o->owner != self) return false;
    o->owner = 0;
    record(Event::Kind::Release, location);
    return true;
  }

  bool invoke(const Code::Instruction& i) {
    const Value receiver = slot(i.b);
    if (receiver.kind != Value::Kind::Object) return false;
    auto f = frame_for(*m_.compiled_.code[i.target], i, receiver,
                       [&](const Expr& e) { return evaluate(e, false); });
    if (!f) return false;
    if (i.op == Op::Call) {
      if (thread().frames.size() >= kMaxFrames) return false;
      ++frame().pc;
      f->result_slot = i.a;
      thread().frames.push_back(std::move(*f));
      return true;
    }
    if (s_.threads_.size() >= kMaxThreads) return false;
    const ThreadId child{static_cast<std::uint32_t>(s_.threads_.size())};
    record(Event::Kind::Fork, {}, child);
    if (i.a >= 0) slot(i.a) = {Value::Kind::Thread, static_cast<std::int64_t>(index_of(child))};
    ++frame().pc;
    State::ThreadState fresh;
    fresh.frames.push_back(std::move(*f));
    s_.threads_.push_back(std::move(fresh));
    Runner(m_, s_, child, trace_).run_to_visible();
    return true;
  }

  void check(const CheckStmt& c) {
    for (const CheckPath& p : c.paths) {
      const Event::Kind kind = p.is_write ? Event::Kind::CheckWrite : Event::Kind::CheckRead;
      for_each_unit(p, [&](const Location& l) {
        record({.kind = kind, .location = l, .placement = c.placement});
      });
    }
    for (const CheckName& name : c.names) {
      for_each_unit(name.part, [&](const Location& l) {
        record({.kind = Event::Kind::Name, .location = l, .placement = c.placement, .name = &name});
      });
    }
  }

  template <class Visit>
  void for_each_unit(const CheckPath& p, Visit visit) {
    const Value base = variable(p.base);
    const std::uint32_t id = static_cast<std::uint32_t>(base.number);
    // A check of nothing an access could have touched checks nothing; the oracle then finds the
    // access it should have covered.
    if (base.kind != Value::Kind::Object) return;
    for (const std::string& f : p.fields) {
      const auto it = std::find(m_.compiled_.fields.begin(), m_.compiled_.fields.end(), f);
      const auto unit = static_cast<std::uint32_t>(it - m_.compiled_.fields.begin());
      visit(Location{id, unit, false});
    }
    if (!p.fields.empty()) return;
    const auto begin = evaluate(*p.begin, false);
    const auto end = p.end ? evaluate(*p.end, false) : begin;
    if (!begin || !end) return;
    const std::int64_t stop = p.end ? end->number : begin->number + 1;
    // Elements outside the array are recorded too: no access can make them legitimate. A range
    // far beyond any array is cut short, which still leaves it illegitimate.
    const std::int64_t last = std::min(stop, begin->number + 2 * kMaxArray);
    for (std::int64_t u = begin->number; u < last; u += p.step) {
      visit(Location{id, static_cast<std::uint32_t>(u), true});
    }
  }

  const Machine& m_;
  State& s_;
  ThreadId t_;
  std::vector<Event>* trace_;
};

std::vector<HeapObject> State::heap() const {
  std::vector<HeapObject> objects;
  objects.reserve(heap_.size());
  for (const Object& o : heap_) {
    objects.push_back({o.is_array, static_cast<std::uint32_t>(o.units.size()), o.site});
  }
  return objects;
}

Machine::Machine(const Program& program, std::uint32_t max_steps_per_thread)
    : compiled_(compile(program)), program_(program), max_steps_(max_steps_per_thread) {}

State Machine::initial(std::vector<Event>& trace) const {
  State s;
  s.max_steps_ = max_steps_;
  std::map<std::string, std::int64_t> objects;
  const auto add = [&](const std::string& name, std::optional<std::int64_t> length) {
    objects.emplace(name, static_cast<std::int64_t>(s.heap_.size()));
    const std::size_t units = length ? static_cast<std::size_t>(*length) : compiled_.fields.size();
    const SiteId site = length ? compiled_.sites.of_shared.at(name) : SiteId{};
    s.heap_.push_back({length.has_value(), std::vector<Value>(units), 0, site});
  };
  for (const Shared& d : program_.shared) add(d.name, d.length);
  const std::size_t first_thread = compiled_.first_thread;
  for (std::size_t i = 0; i < program_.threads.size(); ++i) {
    const Code& code = *compiled_.code[first_thread + i];
    Frame<Value> f;
    f.code = &code;
    f.slots.resize(code.slots.size());
    for (const auto& [name, slot] : shared_variables(code)) {
      if (!objects.contains(name)) add(name, std::nullopt);
      f.slots[static_cast<std::size_t>(slot)] = {Value::Kind::Object, objects.at(name)};
    }
    State::ThreadState t;
    t.frames.push_back(std::move(f));
    s.threads_.push_back(std::move(t));
  }
  for (std::size_t i = 0; i < program_.threads.size(); ++i) {
    Runner(*this, s, ThreadId(i), &trace).run_to_visible();
  }
  return s;
}

NextStep Machine::next(const State& state, ThreadId t) const {
  // Runner needs a mutable state for running; looking ahead does not change it.
  return Runner(*this, const_cast<State&>(state), t, nullptr).next();
}

void Machine::extend(State& state, std::uint32_t steps, std::vector<Event>& trace) const {
  state.max_steps_ += steps;
  for (std::size_t i = 0; i < state.threads_.size(); ++i) {
    if (state.threads_[i].status != ThreadStatus::OutOfSteps) continue;
    state.threads_[i].status = ThreadStatus::Running;
    Runner(*this, state, ThreadId(i), &trace).run_to_visible();
  }
}

void Machine::step(State& state, ThreadId t, bool choice, std::vector<Event>& trace) const {
  Runner(*this, state, t, &trace).take_visible(choice);
}

std::string Machine::describe(const Location& l) const {
  // Shared names come first in the heap, in the order the threads mention them.
  std::string text = "object " + std::to_string(l.object);
  if (l.object < program_.shared.size()) text = program_.shared[l.object].name;
  if (l.is_element) {
    return text + "[" + std::to_string(static_cast<std::int32_t>(l.unit)) + "]";
  }
  return text + "." + (l.unit < compiled_.fields.size() ? compiled_.fields[l.unit] : "?");
}

}  // namespace bigfoot::bfj
