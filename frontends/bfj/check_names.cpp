#include "frontends/bfj/check_names.h"

#include <set>
#include <unordered_map>
#include <unordered_set>

namespace bigfoot::bfj {
namespace {

class NameChecker {
 public:
  explicit NameChecker(const Program& program) : program_(program) {}

  std::vector<Diagnostic> run() {
    for (const Class& c : program_.classes) {
      if (!classes_.insert(c.name).second) error(c.pos, "class '" + c.name + "' twice");
      for (const Method& m : c.methods) {
        if (!methods_.emplace(m.name, &m).second) {
          error(m.pos, "method '" + m.name + "' twice (method names are unique in BFJ)");
        }
      }
    }
    check_shared();
    for (const Class& c : program_.classes) {
      for (const Method& m : c.methods) check_block(*m.body);
    }
    for (const Thread& t : program_.threads) check_block(*t.body);
    return std::move(errors_);
  }

 private:
  void error(SourcePos pos, std::string message) {
    if (errors_.size() < kMaxErrors) errors_.push_back({pos, std::move(message)});
  }
  void check_class(SourcePos pos, const std::string& name) {
    if (!classes_.contains(name)) error(pos, "unknown class '" + name + "'");
  }

  void check_shared() {
    std::set<std::string> names;
    for (const Shared& s : program_.shared) {
      if (!names.insert(s.name).second) error(s.pos, "shared name '" + s.name + "' twice");
      if (!s.class_name.empty()) check_class(s.pos, s.class_name);
    }
  }

  void check_block(const Block& block) {
    for (const StmtPtr& s : block.stmts) {
      std::visit(Overloaded{
                     [&](const Invoke& n) { check_call(n, s->pos); },
                     [&](const New& n) { check_class(s->pos, n.class_name); },
                     [&](const If& n) {
                       check_block(*n.then_block);
                       check_block(*n.else_block);
                     },
                     [&](const Loop& n) { check_block(*n.body); },
                     [&](const While& n) { check_block(*n.body); },
                     [&](const For& n) { check_block(*n.body); },
                     [&](const Try& n) {
                       check_block(*n.body);
                       check_block(*n.handler);
                     },
                     [](const auto&) {},
                 },
                 s->node);
    }
  }

  void check_call(const Invoke& call, SourcePos pos) {
    const auto callee = methods_.find(call.method);
    if (callee == methods_.end()) return error(pos, "unknown method '" + call.method + "'");
    const std::size_t wanted = callee->second->parameters.size();
    if (wanted != call.arguments.size()) {
      error(pos, "method '" + call.method + "' takes " + std::to_string(wanted) + " arguments");
    }
  }

  const Program& program_;
  std::unordered_set<std::string> classes_;
  std::unordered_map<std::string, const Method*> methods_;
  std::vector<Diagnostic> errors_;
};

}  // namespace

std::vector<Diagnostic> check_names(const Program& program) {
  return NameChecker(program).run();
}

}  // namespace bigfoot::bfj
