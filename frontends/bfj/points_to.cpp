#include "frontends/bfj/points_to.h"

namespace bigfoot::bfj {

// Reads the statements: where arrays are made, and from where to where they may go.
class PointsTo::Collector {
 public:
  Collector(PointsTo& result, const Program& program, const AllocationSites& sites)
      : result_(result), sites_(sites) {
    for (const Class& c : program.classes) {
      for (const Method& m : c.methods) methods_.emplace(m.name, Callee{methods_.size(), &m});
    }
    for (const Class& c : program.classes) {
      for (const Method& m : c.methods) {
        function_ = methods_.at(m.name).number;
        visit(*m.body);
      }
    }
    for (std::size_t t = 0; t < program.threads.size(); ++t) {
      function_ = methods_.size() + t;
      for (const auto& [name, site] : sites.of_shared) make(name, site);
      visit(*program.threads[t].body);
    }
  }

 private:
  using Kind = Place::Kind;
  struct Callee {
    std::size_t number;
    const Method* method;
  };

  Place variable(const std::string& name) const { return {Kind::Variable, function_, name}; }
  Place variable(const Callee& in, const std::string& name) const {
    return {Kind::Variable, in.number, name};
  }
  static Place field(const std::string& name) { return {Kind::Field, 0, name}; }
  static Place elements() { return {Kind::Elements}; }

  void make(const std::string& target, SiteId site) {
    result_.holds_[variable(target)].insert(index_of(site));
  }
  void flow(const Place& from, const Place& to) { result_.flows_.emplace(from, to); }
  // Of all expressions only a variable can be an array.
  void flow(const Expr& from, const Place& to) {
    if (const auto* name = std::get_if<VarRef>(&from.node)) flow(variable(name->name), to);
  }

  void visit(const Block& b) {
    for (const StmtPtr& s : b.stmts) std::visit([this](const auto& n) { collect(n); }, s->node);
  }
  void collect(const NewArray& n) { make(n.target, sites_.of_statement.at(&n)); }
  void collect(const Assign& n) { flow(*n.value, variable(n.target)); }
  void collect(const Rename& n) { flow(variable(n.source), variable(n.target)); }
  void collect(const FieldRead& n) { flow(field(n.field), variable(n.target)); }
  void collect(const FieldWrite& n) { flow(*n.value, field(n.field)); }
  void collect(const ArrayRead& n) { flow(elements(), variable(n.target)); }
  void collect(const ArrayWrite& n) { flow(*n.value, elements()); }
  void collect(const Invoke& n) {
    const Callee& callee = methods_.at(n.method);
    flow(variable(n.base), variable(callee, "this"));
    for (std::size_t i = 0; i < n.arguments.size(); ++i) {
      flow(*n.arguments[i], variable(callee, callee.method->parameters[i]));
    }
    if (!n.target.empty() && !n.fork && !callee.method->result.empty()) {
      flow(variable(callee, callee.method->result), variable(n.target));
    }
  }
  void collect(const If& n) {
    visit(*n.then_block);
    visit(*n.else_block);
  }
  void collect(const Loop& n) { visit(*n.body); }
  void collect(const While& n) { visit(*n.body); }
  void collect(const For& n) {
    std::visit([this](const auto& s) { collect(s); }, n.init->node);
    std::visit([this](const auto& s) { collect(s); }, n.step->node);
    visit(*n.body);
  }
  void collect(const Try& n) {
    visit(*n.body);
    visit(*n.handler);
  }
  template <class Other>
  void collect(const Other&) {}  // moves no value

  PointsTo& result_;
  const AllocationSites& sites_;
  std::map<std::string, Callee> methods_;
  std::size_t function_ = 0;
};

PointsTo::PointsTo(const Program& program, const AllocationSites& sites) {
  Collector(*this, program, sites);
  for (bool changed = true; changed;) {
    changed = false;
    for (const auto& [from, to] : flows_) {
      const auto source = holds_.find(from);
      if (source == holds_.end()) continue;
      Sites& target = holds_[to];
      const std::size_t before = target.size();
      target.insert(source->second.begin(), source->second.end());
      changed |= target.size() != before;
    }
  }
}

const PointsTo::Sites& PointsTo::of_variable(std::size_t function, const std::string& name) const {
  static const Sites kNone;
  const auto it = holds_.find({Place::Kind::Variable, function, name});
  return it == holds_.end() ? kNone : it->second;
}

}  // namespace bigfoot::bfj
