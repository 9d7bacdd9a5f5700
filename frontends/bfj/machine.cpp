#include "frontends/bfj/machine.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>

namespace bigfoot::bfj {
namespace {

constexpr std::size_t kMaxHeapObjects = 4096;
constexpr std::int64_t kMaxArray = 4096;
constexpr std::size_t kMaxFrames = 64;
constexpr std::size_t kMaxThreads = 16;

bool has_choice(const Expr& e) {
  return std::visit(Overloaded{
                        [](const Nondet&) { return true; },
                        [](const Unary& n) { return has_choice(*n.operand); },
                        [](const Binary& n) { return has_choice(*n.left) || has_choice(*n.right); },
                        [](const auto&) { return false; },
                    },
                    e.node);
}

}  // namespace

// ---- Code ----

struct Machine::Code {
  enum class Op : std::uint8_t {
    Assign,        // slot a = expr
    Copy,          // slot a = slot b
    ReadField,     // slot a = slot b . field
    WriteField,    // slot b . field = expr
    ReadElement,   // slot a = slot b [ index ]
    WriteElement,  // slot b [ index ] = expr
    New,
    NewArray,
    Lock,
    Unlock,
    Join,  // slot b
    Call,
    Fork,  // slot a = slot b . callee(arguments)
    Check,
    JumpIfFalse,
    Jump,  // to target
    PushHandler,
    PopHandler,
    Throw,
    Halt,
    Return,
    Nop,
  };
  struct Instruction {
    Op op;
    std::int32_t a = -1, b = -1;
    std::uint32_t target = 0;  // jump target, field, or callee
    bool is_volatile = false;
    bool chooses = false;
    const Expr* index = nullptr;
    const Expr* value = nullptr;
    const std::vector<ExprPtr>* arguments = nullptr;
    const CheckStmt* check = nullptr;
    SourcePos pos = {};
  };
  std::string name;
  std::vector<Instruction> instructions;
  std::map<std::string, std::int32_t> slots;
  std::int32_t result = -1;
  std::size_t parameters = 0;
};

class Machine::Compiler {
 public:
  using Op = Code::Op;
  Compiler(const std::map<std::string, std::uint32_t>& fields,
           const std::map<std::string, std::uint32_t>& methods, const Program& program)
      : fields_(fields), methods_(methods), program_(program) {}

  std::unique_ptr<Code> method(const Class& c, const Method& m) {
    begin(c.name + "." + m.name);
    slot("this");
    for (const std::string& p : m.parameters) slot(p);
    code_->parameters = m.parameters.size();
    block(*m.body);
    if (!m.result.empty()) code_->result = slot(m.result);
    emit({.op = Op::Return});
    return std::move(code_);
  }
  std::unique_ptr<Code> thread(const Thread& t) {
    begin("thread");
    block(*t.body);
    emit({.op = Op::Return});
    return std::move(code_);
  }

 private:
  void begin(std::string name) {
    code_ = std::make_unique<Code>();
    code_->name = std::move(name);
    loops_.clear();
    handler_depth_ = 0;
  }
  std::int32_t slot(const std::string& name) {
    return code_->slots.emplace(name, static_cast<std::int32_t>(code_->slots.size())).first->second;
  }
  // Slots for the variables an expression reads.
  void use(const Expr& e) {
    std::visit(Overloaded{
                   [&](const VarRef& n) { slot(n.name); },
                   [&](const LengthOf& n) { slot(n.array); },
                   [&](const Unary& n) { use(*n.operand); },
                   [&](const Binary& n) {
                     use(*n.left);
                     use(*n.right);
                   },
                   [](const auto&) {},
               },
               e.node);
  }
  std::size_t emit(Code::Instruction i) {
    i.pos = pos_;
    for (const Expr* e : {i.index, i.value}) {
      if (e == nullptr) continue;
      use(*e);
      i.chooses |= has_choice(*e);
    }
    code_->instructions.push_back(i);
    return code_->instructions.size() - 1;
  }
  std::uint32_t here() const { return static_cast<std::uint32_t>(code_->instructions.size()); }
  void land(std::size_t jump) { code_->instructions[jump].target = here(); }

  void block(const Block& b) {
    for (const StmtPtr& s : b.stmts) {
      pos_ = s->pos;
      std::visit([&](const auto& n) { compile(n); }, s->node);
    }
  }

  void compile(const Skip&) { emit({.op = Op::Nop}); }
  void compile(const Assign& n) {
    emit({.op = Op::Assign, .a = slot(n.target), .value = n.value.get()});
  }
  void compile(const Rename& n) {
    emit({.op = Op::Copy, .a = slot(n.target), .b = slot(n.source)});
  }
  void compile(const Sync& n) {
    const std::int32_t object = slot(n.object);
    switch (n.kind) {
      case Sync::Kind::Acquire:
        emit({.op = Op::Lock, .b = object});
        return;
      case Sync::Kind::Release:
        emit({.op = Op::Unlock, .b = object});
        return;
      case Sync::Kind::Join:
        emit({.op = Op::Join, .b = object});
        return;
      case Sync::Kind::Wait:
        // Wake-ups may be spurious, so waiting is letting go and coming back.
        emit({.op = Op::Unlock, .b = object});
        emit({.op = Op::Lock, .b = object});
        return;
      case Sync::Kind::Notify:
        emit({.op = Op::Nop});
        return;
    }
  }
  void compile(const New& n) { emit({.op = Op::New, .a = slot(n.target)}); }
  void compile(const NewArray& n) {
    emit({.op = Op::NewArray, .a = slot(n.target), .value = n.length.get()});
  }
  void compile(const FieldRead& n) {
    emit({.op = Op::ReadField,
          .a = slot(n.target),
          .b = slot(n.base),
          .target = fields_.at(n.field),
          .is_volatile = program_.is_volatile(n.field)});
  }
  void compile(const FieldWrite& n) {
    emit({.op = Op::WriteField,
          .b = slot(n.base),
          .target = fields_.at(n.field),
          .is_volatile = program_.is_volatile(n.field),
          .value = n.value.get()});
  }
  void compile(const ArrayRead& n) {
    emit({.op = Op::ReadElement, .a = slot(n.target), .b = slot(n.base), .index = n.index.get()});
  }
  void compile(const ArrayWrite& n) {
    emit({.op = Op::WriteElement,
          .b = slot(n.base),
          .index = n.index.get(),
          .value = n.value.get()});
  }
  void compile(const Invoke& n) {
    for (const ExprPtr& a : n.arguments) use(*a);
    emit({.op = n.fork ? Op::Fork : Op::Call,
          .a = n.target.empty() ? -1 : slot(n.target),
          .b = slot(n.base),
          .target = methods_.at(n.method),
          .arguments = &n.arguments});
  }
  void compile(const CheckStmt& n) {
    for (const CheckPath& p : n.paths) {
      slot(p.base);
      if (p.begin) use(*p.begin);
      if (p.end) use(*p.end);
    }
    emit({.op = Op::Check, .check = &n});
  }
  void compile(const If& n) {
    const std::size_t skip = emit({.op = Op::JumpIfFalse, .value = n.condition.get()});
    block(*n.then_block);
    const std::size_t end = emit({.op = Op::Jump});
    land(skip);
    block(*n.else_block);
    land(end);
  }
  void loop(const Expr* condition, const Block& body, const Stmt* step) {
    const std::uint32_t start = here();
    loops_.push_back({{}, handler_depth_});
    if (condition != nullptr) {
      loops_.back().exits.push_back(emit({.op = Op::JumpIfFalse, .value = condition}));
    }
    block(body);
    if (step != nullptr) compile(std::get<Assign>(step->node));
    emit({.op = Op::Jump, .target = start});
    for (std::size_t exit : loops_.back().exits) land(exit);
    loops_.pop_back();
  }
  void compile(const Loop& n) { loop(nullptr, *n.body, nullptr); }
  void compile(const While& n) { loop(n.condition.get(), *n.body, nullptr); }
  void compile(const For& n) {
    compile(std::get<Assign>(n.init->node));
    loop(n.condition.get(), *n.body, n.step.get());
  }
  void compile(const Break& n) {
    std::optional<std::size_t> stay;
    if (n.condition) stay = emit({.op = Op::JumpIfFalse, .value = n.condition.get()});
    for (int i = handler_depth_; i > loops_.back().handler_depth; --i) emit({.op = Op::PopHandler});
    loops_.back().exits.push_back(emit({.op = Op::Jump}));
    if (stay) land(*stay);
  }
  void compile(const Try& n) {
    const std::size_t push = emit({.op = Op::PushHandler});
    ++handler_depth_;
    block(*n.body);
    --handler_depth_;
    emit({.op = Op::PopHandler});
    const std::size_t end = emit({.op = Op::Jump});
    land(push);
    block(*n.handler);
    land(end);
  }
  void compile(const Throw&) { emit({.op = Op::Throw}); }
  void compile(const Halt&) { emit({.op = Op::Halt}); }

  struct LoopFrame {
    std::vector<std::size_t> exits;
    int handler_depth;
  };
  const std::map<std::string, std::uint32_t>& fields_;
  const std::map<std::string, std::uint32_t>& methods_;
  const Program& program_;
  std::unique_ptr<Code> code_;
  std::vector<LoopFrame> loops_;
  int handler_depth_ = 0;
  SourcePos pos_;
};

// ---- Running ----

class Machine::Runner {
 public:
  using Value = State::Value;
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
  State::Frame& frame() const { return thread().frames.back(); }
  const Code& code() const { return *m_.code_[frame().code]; }
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
    if (++thread().steps <= m_.max_steps_) return true;
    thread().status = ThreadStatus::OutOfSteps;
    return false;
  }
  void fault() { thread().status = ThreadStatus::Faulted; }

  void record(Event::Kind kind, Location location, ThreadId other = {}) {
    if (trace_ != nullptr) {
      trace_->push_back({kind, t_, location, other, thread().steps, instruction().pos});
    }
  }

  // ---- Expressions ----

  std::optional<Value> evaluate(const Expr& e, bool choice) const {
    return std::visit(
        Overloaded{
            [](const IntLiteral& n) {
              return std::optional<Value>(Value{Value::Kind::Int, n.value});
            },
            [](const BoolLiteral& n) {
              return std::optional<Value>(Value{Value::Kind::Int, n.value ? 1 : 0});
            },
            [](const NullLiteral&) { return std::optional<Value>(Value{}); },
            [&](const VarRef& n) { return std::optional<Value>(variable(n.name)); },
            [&](const LengthOf& n) -> std::optional<Value> {
              const Value v = variable(n.array);
              if (v.kind != Value::Kind::Object) return std::nullopt;
              const auto& o = s_.heap_[static_cast<std::size_t>(v.number)];
              if (!o.is_array) return std::nullopt;
              return Value{Value::Kind::Int, static_cast<std::int64_t>(o.units.size())};
            },
            [&](const Nondet&) {
              return std::optional<Value>(Value{Value::Kind::Int, choice ? 1 : 0});
            },
            [&](const Unary& n) { return unary(n, choice); },
            [&](const Binary& n) { return binary(n, choice); },
        },
        e.node);
  }

  Value variable(const std::string& name) const {
    return frame().slots[static_cast<std::size_t>(code().slots.at(name))];
  }
  static bool truth(const Value& v) { return v.kind != Value::Kind::Int || v.number != 0; }

  std::optional<Value> unary(const Unary& n, bool choice) const {
    const auto v = evaluate(*n.operand, choice);
    if (!v) return std::nullopt;
    if (n.op == UnaryOp::Not) return Value{Value::Kind::Int, truth(*v) ? 0 : 1};
    std::int64_t negative;
    if (v->kind != Value::Kind::Int ||
        __builtin_sub_overflow(std::int64_t{0}, v->number, &negative)) {
      return std::nullopt;
    }
    return Value{Value::Kind::Int, negative};
  }

  std::optional<Value> binary(const Binary& n, bool choice) const {
    const auto l = evaluate(*n.left, choice);
    if (!l) return std::nullopt;
    const auto boolean = [](bool b) { return Value{Value::Kind::Int, b ? 1 : 0}; };
    if (n.op == BinaryOp::And && !truth(*l)) return boolean(false);
    if (n.op == BinaryOp::Or && truth(*l)) return boolean(true);
    const auto r = evaluate(*n.right, choice);
    if (!r) return std::nullopt;
    switch (n.op) {
      case BinaryOp::And:
      case BinaryOp::Or:
        return boolean(truth(*r));
      case BinaryOp::Equal:
        return boolean(*l == *r);
      case BinaryOp::NotEqual:
        return boolean(!(*l == *r));
      default:
        break;
    }
    if (l->kind != Value::Kind::Int || r->kind != Value::Kind::Int) return std::nullopt;
    const std::int64_t a = l->number, b = r->number;
    std::int64_t result = 0;
    switch (n.op) {
      case BinaryOp::Less:
        return boolean(a < b);
      case BinaryOp::AtMost:
        return boolean(a <= b);
      case BinaryOp::Greater:
        return boolean(a > b);
      case BinaryOp::AtLeast:
        return boolean(a >= b);
      case BinaryOp::Add:
        if (__builtin_add_overflow(a, b, &result)) return std::nullopt;
        break;
      case BinaryOp::Sub:
        if (__builtin_sub_overflow(a, b, &result)) return std::nullopt;
        break;
      case BinaryOp::Mul:
        if (__builtin_mul_overflow(a, b, &result)) return std::nullopt;
        break;
      default:  // Div, Mod
        if (b == 0 || (a == INT64_MIN && b == -1)) return std::nullopt;
        result = n.op == BinaryOp::Div ? a / b : a % b;
        break;
    }
    return Value{Value::Kind::Int, result};
  }

  // ---- Instructions ----

  Value& slot(std::int32_t i) { return frame().slots[static_cast<std::size_t>(i)]; }

  void execute(bool choice) {
    const Code::Instruction& i = instruction();
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
        if (!allocate(i.a, false, static_cast<std::int64_t>(m_.fields_.size()))) return fault();
        break;
      case Op::NewArray: {
        const auto v = evaluate(*i.value, choice);
        if (!v || v->kind != Value::Kind::Int || !allocate(i.a, true, v->number)) return fault();
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
      case Op::JumpIfFalse: {
        const auto v = evaluate(*i.value, choice);
        if (!v) return fault();
        frame().pc = truth(*v) ? frame().pc + 1 : i.target;
        return;
      }
      case Op::Jump:
        frame().pc = i.target;
        return;
      case Op::PushHandler:
        frame().handlers.push_back(i.target);
        break;
      case Op::PopHandler:
        frame().handlers.pop_back();
        break;
      case Op::Throw:
        return unwind();
      case Op::Halt:
        thread().status = ThreadStatus::Finished;
        return;
      case Op::Return:
        return leave();
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
      record(write ? Event::Kind::Write : Event::Kind::Read, location);
    }
    Value& cell = o->units[static_cast<std::size_t>(unit)];
    if (write) {
      cell = *stored;
    } else {
      slot(i.a) = cell;
    }
    return true;
  }

  bool allocate(std::int32_t target, bool array, std::int64_t length) {
    if (length < 0 || length > kMaxArray || s_.heap_.size() >= kMaxHeapObjects) return false;
    slot(target) = {Value::Kind::Object, static_cast<std::int64_t>(s_.heap_.size())};
    s_.heap_.push_back({array, std::vector<Value>(static_cast<std::size_t>(length)), 0});
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
    const Code& callee = *m_.code_[i.target];
    State::Frame f;
    f.code = i.target;
    f.slots.resize(callee.slots.size());
    f.slots[0] = receiver;
    for (std::size_t k = 0; k < i.arguments->size(); ++k) {
      const auto v = evaluate(*(*i.arguments)[k], false);
      if (!v) return false;
      f.slots[k + 1] = *v;
    }
    if (i.op == Op::Call) {
      if (thread().frames.size() >= kMaxFrames) return false;
      ++frame().pc;
      f.result_slot = i.a;
      thread().frames.push_back(std::move(f));
      return true;
    }
    if (s_.threads_.size() >= kMaxThreads) return false;
    const ThreadId child{static_cast<std::uint32_t>(s_.threads_.size())};
    record(Event::Kind::Fork, {}, child);
    if (i.a >= 0) slot(i.a) = {Value::Kind::Thread, static_cast<std::int64_t>(index_of(child))};
    ++frame().pc;
    State::ThreadState fresh;
    fresh.frames.push_back(std::move(f));
    s_.threads_.push_back(std::move(fresh));
    Runner(m_, s_, child, trace_).run_to_visible();
    return true;
  }

  void check(const CheckStmt& c) {
    for (const CheckPath& p : c.paths) {
      const Value base = variable(p.base);
      const Event::Kind kind = p.is_write ? Event::Kind::CheckWrite : Event::Kind::CheckRead;
      const std::uint32_t id = static_cast<std::uint32_t>(base.number);
      // A check of nothing an access could have touched checks nothing; the oracle then finds the
      // access it should have covered.
      if (base.kind != Value::Kind::Object) continue;
      for (const std::string& f : p.fields) {
        const auto it = std::find(m_.fields_.begin(), m_.fields_.end(), f);
        record(kind, {id, static_cast<std::uint32_t>(it - m_.fields_.begin()), false});
      }
      if (!p.fields.empty()) continue;
      const auto begin = evaluate(*p.begin, false);
      const auto end = p.end ? evaluate(*p.end, false) : begin;
      if (!begin || !end) continue;
      const std::int64_t stop = p.end ? end->number : begin->number + 1;
      // Elements outside the array are recorded too: no access can make them legitimate. A range
      // far beyond any array is cut short, which still leaves it illegitimate.
      const std::int64_t last = std::min(stop, begin->number + 2 * kMaxArray);
      for (std::int64_t u = begin->number; u < last; u += p.step) {
        record(kind, {id, static_cast<std::uint32_t>(u), true});
      }
    }
  }

  void leave() {
    const std::int32_t result = code().result;
    const Value v = result >= 0 ? frame().slots[static_cast<std::size_t>(result)] : Value{};
    const std::int32_t target = frame().result_slot;
    thread().frames.pop_back();
    if (thread().frames.empty()) {
      thread().status = ThreadStatus::Finished;
    } else if (target >= 0) {
      slot(target) = v;
    }
  }

  void unwind() {
    while (!thread().frames.empty()) {
      if (!frame().handlers.empty()) {
        frame().pc = frame().handlers.back();
        frame().handlers.pop_back();
        return;
      }
      thread().frames.pop_back();
    }
    thread().status = ThreadStatus::Finished;
  }

  const Machine& m_;
  State& s_;
  ThreadId t_;
  std::vector<Event>* trace_;
};

// ---- Machine ----

Machine::Machine(const Program& program, std::uint32_t max_steps_per_thread)
    : program_(program), max_steps_(max_steps_per_thread) {
  std::map<std::string, std::uint32_t> fields, methods;
  const auto add_field = [&](const std::string& f) {
    if (fields.emplace(f, static_cast<std::uint32_t>(fields.size())).second) fields_.push_back(f);
  };
  for (const Class& c : program.classes) {
    for (const Field& f : c.fields) add_field(f.name);
    for (const Method& m : c.methods) {
      methods.emplace(m.name, static_cast<std::uint32_t>(methods.size()));
    }
  }
  // Fields of undeclared classes, found in the code.
  const std::function<void(const Block&)> collect = [&](const Block& b) {
    for (const StmtPtr& s : b.stmts) {
      std::visit(Overloaded{
                     [&](const FieldRead& n) { add_field(n.field); },
                     [&](const FieldWrite& n) { add_field(n.field); },
                     [&](const CheckStmt& n) {
                       for (const CheckPath& p : n.paths) {
                         for (const std::string& f : p.fields) add_field(f);
                       }
                     },
                     [&](const If& n) {
                       collect(*n.then_block);
                       collect(*n.else_block);
                     },
                     [&](const Loop& n) { collect(*n.body); },
                     [&](const While& n) { collect(*n.body); },
                     [&](const For& n) { collect(*n.body); },
                     [&](const Try& n) {
                       collect(*n.body);
                       collect(*n.handler);
                     },
                     [](const auto&) {},
                 },
                 s->node);
    }
  };
  for (const Class& c : program.classes) {
    for (const Method& m : c.methods) collect(*m.body);
  }
  for (const Thread& t : program.threads) collect(*t.body);

  Compiler compiler(fields, methods, program);
  for (const Class& c : program.classes) {
    for (const Method& m : c.methods) code_.push_back(compiler.method(c, m));
  }
  for (const Thread& t : program.threads) code_.push_back(compiler.thread(t));
}

Machine::~Machine() = default;

State Machine::initial(std::vector<Event>& trace) const {
  State s;
  std::map<std::string, std::int64_t> objects;
  const auto add = [&](const std::string& name, bool array, std::size_t length) {
    objects.emplace(name, static_cast<std::int64_t>(s.heap_.size()));
    s.heap_.push_back({array, std::vector<State::Value>(length), 0});
  };
  for (const Shared& d : program_.shared) {
    add(d.name, d.length.has_value(),
        d.length ? static_cast<std::size_t>(*d.length) : fields_.size());
  }
  const std::size_t first_thread = code_.size() - program_.threads.size();
  for (std::size_t i = 0; i < program_.threads.size(); ++i) {
    const Code& code = *code_[first_thread + i];
    std::set<std::int32_t> assigned;
    for (const auto& instruction : code.instructions) {
      if (instruction.a >= 0) assigned.insert(instruction.a);
    }
    State::Frame f;
    f.code = static_cast<std::uint32_t>(first_thread + i);
    f.slots.resize(code.slots.size());
    for (const auto& [name, slot] : code.slots) {
      if (assigned.contains(slot)) continue;  // a local
      if (!objects.contains(name)) add(name, false, fields_.size());
      f.slots[static_cast<std::size_t>(slot)] = {State::Value::Kind::Object, objects.at(name)};
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
  return text + "." + (l.unit < fields_.size() ? fields_[l.unit] : "?");
}

}  // namespace bigfoot::bfj
