#include "frontends/bfj/names.h"

#include <algorithm>

namespace bigfoot::bfj {
namespace {

class FieldNames {
 public:
  void add(const std::string& field) {
    if (seen_.insert(field).second) names_.push_back(field);
  }
  enum class From : std::uint8_t { Accesses, Checks };
  void add_from(const Block& b, From from) {
    for (const StmtPtr& s : b.stmts) {
      std::visit(Overloaded{
                     [&](const FieldRead& n) { add_if(from == From::Accesses, n.field); },
                     [&](const FieldWrite& n) { add_if(from == From::Accesses, n.field); },
                     [&](const CheckStmt& n) {
                       for (const CheckPath& p : n.paths) {
                         for (const std::string& f : p.fields) add_if(from == From::Checks, f);
                       }
                     },
                     [&](const If& n) {
                       add_from(*n.then_block, from);
                       add_from(*n.else_block, from);
                     },
                     [&](const Loop& n) { add_from(*n.body, from); },
                     [&](const While& n) { add_from(*n.body, from); },
                     [&](const For& n) { add_from(*n.body, from); },
                     [&](const Try& n) {
                       add_from(*n.body, from);
                       add_from(*n.handler, from);
                     },
                     [](const auto&) {},
                 },
                 s->node);
    }
  }
  std::vector<std::string> take() { return std::move(names_); }

 private:
  void add_if(bool wanted, const std::string& field) {
    if (wanted) add(field);
  }

  std::vector<std::string> names_;
  std::set<std::string> seen_;
};

bool throws_outside_try(const Block& b, const std::set<std::string>& throwing) {
  return std::any_of(b.stmts.begin(), b.stmts.end(), [&](const StmtPtr& s) {
    return std::visit(Overloaded{
                          [](const Throw&) { return true; },
                          [&](const Invoke& n) { return !n.fork && throwing.contains(n.method); },
                          [&](const If& n) {
                            return throws_outside_try(*n.then_block, throwing) ||
                                   throws_outside_try(*n.else_block, throwing);
                          },
                          [&](const Loop& n) { return throws_outside_try(*n.body, throwing); },
                          [&](const Try& n) { return throws_outside_try(*n.handler, throwing); },
                          [](const auto&) { return false; },
                      },
                      s->node);
  });
}

}  // namespace

std::vector<std::string> field_names(const Program& program) {
  FieldNames names;
  for (const Class& c : program.classes) {
    for (const Field& f : c.fields) names.add(f.name);
  }
  // Checks last: a program's fields have the same numbers with and without its checks.
  for (const auto from : {FieldNames::From::Accesses, FieldNames::From::Checks}) {
    for (const Class& c : program.classes) {
      for (const Method& m : c.methods) names.add_from(*m.body, from);
    }
    for (const Thread& t : program.threads) names.add_from(*t.body, from);
  }
  return names.take();
}

std::set<std::string> throwing_methods(const Program& p) {
  std::set<std::string> throwing;
  for (bool changed = true; changed;) {
    changed = false;
    for (const Class& c : p.classes) {
      for (const Method& m : c.methods) {
        if (!throwing.contains(m.name) && throws_outside_try(*m.body, throwing)) {
          throwing.insert(m.name);
          changed = true;
        }
      }
    }
  }
  return throwing;
}

const std::set<std::string>& AssignedVariables::in(const Block& b) {
  const auto it = known_.find(&b);
  if (it != known_.end()) return it->second;
  std::set<std::string> names;
  for (const StmtPtr& s : b.stmts) collect(*s, names);
  return known_[&b] = std::move(names);
}

void AssignedVariables::collect(const Stmt& s, std::set<std::string>& names) {
  const auto nested = [&](const Block& b) {
    const auto& inner = in(b);
    names.insert(inner.begin(), inner.end());
  };
  std::visit(Overloaded{
                 [&](const Assign& n) { names.insert(n.target); },
                 [&](const Rename& n) { names.insert(n.target); },
                 [&](const New& n) { names.insert(n.target); },
                 [&](const NewArray& n) { names.insert(n.target); },
                 [&](const FieldRead& n) { names.insert(n.target); },
                 [&](const ArrayRead& n) { names.insert(n.target); },
                 [&](const Invoke& n) {
                   if (!n.target.empty()) names.insert(n.target);
                 },
                 [&](const If& n) {
                   nested(*n.then_block);
                   nested(*n.else_block);
                 },
                 [&](const Loop& n) { nested(*n.body); },
                 [&](const Try& n) {
                   nested(*n.body);
                   nested(*n.handler);
                 },
                 [](const auto&) {},
             },
             s.node);
}

}  // namespace bigfoot::bfj
