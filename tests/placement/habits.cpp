#include "tests/placement/habits.h"

#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace bigfoot::bfj {
namespace {

constexpr int kArrayLength = 12;  // as generate() has it

class Habits {
 public:
  explicit Habits(std::uint64_t seed) : random_(seed ^ 0x9e3779b97f4a7c15u) {
    // Who is accessed along with a field.
    static const std::vector<std::map<std::string, std::vector<std::string>>> kFieldHabits{
        {{"f", {"g"}}, {"g", {"f"}}},
        {{"f", {"g", "h"}}, {"g", {"f", "h"}}, {"h", {"f", "g"}}},
        {{"g", {"f"}}},
        {{"g", {"f"}}, {"h", {"f"}}},
        {{"h", {"g", "f"}}, {"g", {"f"}}},
    };
    fields_ = kFieldHabits[pick(kFieldHabits.size())];
    for (const char* a : {"a", "a1", "a2", "a3"}) {
      arrays_[a] = {static_cast<Walk>(pick(4)), static_cast<int>(2 << pick(2))};
    }
    // A parameter holds what callers pass; they mostly pass a1.
    arrays_["a"] = arrays_["a1"];
    breaks_ = pick(4) == 0;
  }

  Program apply(const Program& program) {
    Program p = clone(program);
    for (Class& c : p.classes) {
      for (Method& m : c.methods) rewrite(*m.body);
    }
    for (Thread& t : p.threads) {
      own_array_ = pick(3) == 0;
      rewrite(*t.body);
      if (own_array_) {
        t.body->stmts.insert(t.body->stmts.begin(),
                             make_stmt(NewArray{"a3", make_int(kArrayLength)}));
      }
      own_array_ = false;
    }
    return p;
  }

 private:
  enum class Walk : std::uint8_t { Whole, FromStart, Stride, Chunk };
  struct ArrayHabit {
    Walk walk;
    int k;
  };

  std::size_t pick(std::size_t n) { return random_() % n; }
  // Rarely, and only in programs that break habits at all.
  bool forgets() { return breaks_ && pick(8) == 0; }

  void rewrite(Block& b) {
    std::vector<StmtPtr> old;
    old.swap(b.stmts);
    for (StmtPtr& s : old) {
      Stmt& stmt = *s;
      std::visit(Overloaded{
                     [&](FieldRead& n) { fields(b, std::move(s), n.field, n); },
                     [&](FieldWrite& n) { fields(b, std::move(s), n.field, n); },
                     [&](ArrayRead& n) { array(b, std::move(s), n); },
                     [&](ArrayWrite& n) { array(b, std::move(s), n); },
                     [&](Invoke& n) {
                       for (ExprPtr& a : n.arguments) rename_argument(a);
                       b.stmts.push_back(std::move(s));
                     },
                     [&](If& n) {
                       rewrite(*n.then_block);
                       rewrite(*n.else_block);
                       b.stmts.push_back(std::move(s));
                     },
                     [&](Loop& n) {
                       rewrite(*n.body);
                       b.stmts.push_back(std::move(s));
                     },
                     [&](For& n) {
                       rewrite(*n.body);
                       b.stmts.push_back(std::move(s));
                     },
                     [&](Try& n) {
                       rewrite(*n.body);
                       rewrite(*n.handler);
                       b.stmts.push_back(std::move(s));
                     },
                     [&](auto&) { b.stmts.push_back(std::move(s)); },
                 },
                 stmt.node);
    }
  }

  void rename_argument(ExprPtr& a) {
    const auto* name = std::get_if<VarRef>(&a->node);
    if (name != nullptr && name->name == "a2" && !forgets()) a = make_var("a1");
  }

  static StmtPtr on_field(const FieldRead& n, const std::string& field) {
    return make_stmt(FieldRead{n.target, n.base, field});
  }
  static StmtPtr on_field(const FieldWrite& n, const std::string& field) {
    return make_stmt(FieldWrite{n.base, field, clone(n.value)});
  }
  template <class Access>
  void fields(Block& b, StmtPtr original, const std::string& field, const Access& n) {
    std::vector<StmtPtr> group;
    const auto partners = fields_.find(field);
    if (partners != fields_.end() && !forgets()) {
      for (const std::string& f : partners->second) group.push_back(on_field(n, f));
    }
    group.insert(group.begin() + static_cast<std::ptrdiff_t>(pick(group.size() + 1)),
                 std::move(original));
    for (StmtPtr& s : group) b.stmts.push_back(std::move(s));
  }

  static StmtPtr on_element(const ArrayRead& n, const std::string& base, ExprPtr index) {
    return make_stmt(ArrayRead{n.target, base, std::move(index)});
  }
  static StmtPtr on_element(const ArrayWrite& n, const std::string& base, ExprPtr index) {
    return make_stmt(ArrayWrite{base, std::move(index), clone(n.value)});
  }
  template <class Access>
  void array(Block& b, StmtPtr original, const Access& n) {
    if (forgets()) return b.stmts.push_back(std::move(original));
    const std::string base = n.base == "a2" && own_array_ ? "a3" : n.base;
    // An array read from a field may be any of them; walking all of it breaks nobody's habit.
    const auto known = arrays_.find(base);
    const ArrayHabit habit = known == arrays_.end() ? ArrayHabit{Walk::Whole, 1} : known->second;
    const int k = habit.k;
    const std::string q = "q" + std::to_string(++names_);
    const auto walk = [&](int first, int end, int step) {
      auto body = std::make_unique<Block>();
      body->stmts.push_back(on_element(n, base, make_var(q)));
      b.stmts.push_back(make_stmt(
          For{make_stmt(Assign{q, make_int(first)}),
              make_stmt(Assign{q, make_binary(BinaryOp::Add, make_var(q), make_int(step))}),
              make_binary(BinaryOp::Less, make_var(q), make_int(end)), std::move(body)}));
    };
    switch (habit.walk) {
      case Walk::Whole:
        return walk(0, kArrayLength, 1);
      case Walk::FromStart:
        return walk(0, static_cast<int>(1 + pick(6)), 1);
      case Walk::Stride:
        return walk(static_cast<int>(pick(static_cast<std::size_t>(k))), kArrayLength, k);
      case Walk::Chunk:
        return chunk(b, n, base, k);
    }
  }
  template <class Access>
  void chunk(Block& b, const Access& n, const std::string& base, int k) {
    const std::string q = "q" + std::to_string(++names_);
    const auto chunks = static_cast<std::size_t>(kArrayLength / k);
    b.stmts.push_back(make_stmt(Assign{q, make_int(static_cast<std::int64_t>(pick(chunks)))}));
    for (int c = 0; c < k; ++c) {
      ExprPtr start = make_binary(BinaryOp::Mul, make_int(k), make_var(q));
      b.stmts.push_back(
          on_element(n, base, make_binary(BinaryOp::Add, std::move(start), make_int(c))));
    }
  }

  std::mt19937_64 random_;
  std::map<std::string, std::vector<std::string>> fields_;
  std::map<std::string, ArrayHabit> arrays_;
  bool breaks_ = false;
  bool own_array_ = false;
  int names_ = 0;
};

}  // namespace

Program with_habits(const Program& program, std::uint64_t seed) {
  return Habits(seed).apply(program);
}

}  // namespace bigfoot::bfj
