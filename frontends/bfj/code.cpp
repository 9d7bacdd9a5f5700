#include "frontends/bfj/code.h"

#include <optional>
#include <set>

#include "frontends/bfj/names.h"

namespace bigfoot::bfj {
namespace {

bool has_choice(const Expr& e) {
  return std::visit(Overloaded{
                        [](const Nondet&) { return true; },
                        [](const Unary& n) { return has_choice(*n.operand); },
                        [](const Binary& n) { return has_choice(*n.left) || has_choice(*n.right); },
                        [](const auto&) { return false; },
                    },
                    e.node);
}

class Compiler {
 public:
  using Op = Code::Op;
  Compiler(const std::map<std::string, std::uint32_t>& fields,
           const std::map<std::string, std::uint32_t>& methods, const AllocationSites& sites,
           const Program& program)
      : fields_(fields), methods_(methods), sites_(sites), program_(program) {}

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
  void use(const CheckPath& p) {
    slot(p.base);
    if (p.begin) use(*p.begin);
    if (p.end) use(*p.end);
  }
  std::size_t emit(Code::Instruction i) {
    i.pos = pos_;
    i.stmt = stmt_;
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
      stmt_ = s.get();
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
    emit({.op = Op::NewArray,
          .a = slot(n.target),
          .target = static_cast<std::uint32_t>(sites_.of_statement.at(&n)),
          .value = n.length.get()});
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
    for (const CheckPath& p : n.paths) use(p);
    for (const CheckName& name : n.names) use(name.part);
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
  const AllocationSites& sites_;
  const Program& program_;
  std::unique_ptr<Code> code_;
  std::vector<LoopFrame> loops_;
  int handler_depth_ = 0;
  SourcePos pos_;
  const Stmt* stmt_ = nullptr;
};

}  // namespace

CompiledProgram compile(const Program& program) {
  CompiledProgram result;
  result.fields = field_names(program);
  std::map<std::string, std::uint32_t> fields, methods;
  for (const std::string& f : result.fields) {
    fields.emplace(f, static_cast<std::uint32_t>(fields.size()));
  }
  for (const Class& c : program.classes) {
    for (const Method& m : c.methods) {
      methods.emplace(m.name, static_cast<std::uint32_t>(methods.size()));
    }
  }
  result.sites = allocation_sites(program);
  Compiler compiler(fields, methods, result.sites, program);
  for (const Class& c : program.classes) {
    for (const Method& m : c.methods) result.code.push_back(compiler.method(c, m));
  }
  result.first_thread = result.code.size();
  for (const Thread& t : program.threads) result.code.push_back(compiler.thread(t));
  return result;
}

std::vector<std::pair<std::string, std::int32_t>> shared_variables(const Code& thread) {
  std::set<std::int32_t> assigned;
  for (const Code::Instruction& i : thread.instructions)
    if (i.a >= 0) assigned.insert(i.a);
  std::vector<std::pair<std::string, std::int32_t>> shared;
  for (const auto& [name, slot] : thread.slots)
    if (!assigned.contains(slot)) shared.emplace_back(name, slot);
  return shared;
}

}  // namespace bigfoot::bfj
