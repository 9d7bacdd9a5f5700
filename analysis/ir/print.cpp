#include "analysis/ir/print.h"

#include <map>

namespace bigfoot::ir {
namespace {

class Printer {
 public:
  Printer(const Function& f, const Plan& plan) : f_(f) {
    for (const PlacedCheck& c : plan.checks) at_[c.point].push_back(&c);
  }

  std::string run() {
    text_ = f_.name + "\n";
    for (std::size_t b = 0; b < f_.blocks.size(); ++b) block(BlockId(b));
    return std::move(text_);
  }

 private:
  void line(const std::string& s) { text_ += "    " + s + "\n"; }

  void block(BlockId id) {
    const Block& b = f_.block(id);
    text_ += "  block " + std::to_string(index_of(id)) + "  <-";
    for (BlockId p : b.predecessors) text_ += " " + std::to_string(index_of(p));
    text_ += "\n";
    for (const Phi& p : b.phis) {
      std::string s = print(f_, LinearExpr(p.symbol)) + " = phi";
      for (const LinearExpr& e : p.incoming) s += " (" + print(f_, e) + ")";
      line(s);
    }
    for (std::size_t i = 0; i < b.instructions.size(); ++i) {
      checks(Point::before(id, i));
      std::visit([&](const auto& x) { instruction(x); }, b.instructions[i]);
    }
    checks(Point::before(id, b.instructions.size()));
    for (BlockId s : successors(b.terminator)) {
      std::string to = "-> " + std::to_string(index_of(s));
      for (const Atom& a : edge_facts(b.terminator, s)) to += "  [" + atom(a) + "]";
      line(to);
      checks(Point::on_edge(id, s));
    }
  }

  void checks(const Point& p) {
    const auto it = at_.find(p);
    if (it == at_.end()) return;
    for (const PlacedCheck* c : it->second) {
      for (const Range& r : c->check.ranges) {
        std::string s = std::string("CHECK ") + (c->check.kind == AccessKind::Write ? "w " : "r ") +
                        print(f_, Path{c->check.base, c->check.space, r}) + "  " + c->rule + " for";
        for (const Covered& k : c->stands_for) s += " " + std::to_string(index_of(k.access));
        line(s);
      }
    }
  }

  std::string atom(const Atom& a) const {
    static constexpr const char* kRelation[] = {" >= 0", " == 0", " != 0", " | "};
    std::string s = print(f_, a.expr) + kRelation[static_cast<std::size_t>(a.kind)];
    return a.kind == Atom::Kind::Divisible ? s + std::to_string(a.modulus) : s;
  }

  void instruction(const Access& a) {
    std::string s = std::to_string(index_of(a.id)) + ": " +
                    (a.kind == AccessKind::Write ? "write " : "read ") + print(f_, a.path);
    if (a.result) s += " -> " + print(f_, LinearExpr(*a.result));
    line(s);
  }
  void instruction(const Acquire&) { line("acquire"); }
  void instruction(const Release&) { line("release"); }
  void instruction(const Call& c) {
    std::string s = c.callee ? "call f" + std::to_string(index_of(*c.callee)) : "call";
    if (c.effects.acquires) s += " acquires";
    if (c.effects.releases) s += " releases";
    if (c.effects.may_not_return) s += " may-not-return";
    line(s);
  }
  void instruction(const Define& d) {
    line(print(f_, LinearExpr(d.symbol)) + " = " + print(f_, d.value));
  }
  void instruction(const Opaque& o) { line(print(f_, LinearExpr(o.symbol)) + " = ?"); }

  const Function& f_;
  std::map<Point, std::vector<const PlacedCheck*>> at_;
  std::string text_;
};

}  // namespace

std::string print(const Function& function, const LinearExpr& e) {
  if (!e.valid()) return "?";
  std::string s;
  for (const logic::Term& t : e.terms()) {
    if (!s.empty()) s += " + ";
    if (t.coefficient != 1) s += std::to_string(t.coefficient) + "*";
    s += function.symbol(t.symbol).name + "#" + std::to_string(index_of(t.symbol));
  }
  if (e.constant() != 0 || s.empty()) {
    if (!s.empty()) s += " + ";
    s += std::to_string(e.constant());
  }
  return s;
}

std::string print(const Function& function, const Path& path) {
  std::string s = print(function, LinearExpr(path.base)) + "[" + print(function, path.range.begin) +
                  " .. " + print(function, path.range.end);
  if (!path.range.contiguous())
    s += " : " + std::to_string(path.range.step) + "/" + std::to_string(path.range.width);
  return s + "]";
}

std::string print(const Function& function, const Plan& plan) {
  return Printer(function, plan).run();
}

}  // namespace bigfoot::ir
