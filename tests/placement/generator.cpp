// Layout of a generated program: two shared objects that may be aliases of each other through a
// field and hold one of the arrays in another, two shared arrays of 12 elements, two locks, a
// volatile. Two or three threads, two or three methods with parameters (this, o, a, i, n). Indices
// are kept in range by construction: every index expression is a loop variable, a small constant,
// or a bounded sum of the two.
#include "tests/placement/generator.h"

#include <random>
#include <string>
#include <vector>

namespace bigfoot::bfj {
namespace {

constexpr std::int64_t kArrayLength = 12;
// What `n` may be, in threads and methods alike.
constexpr int kLeastN = 3, kLargestN = 6;

class Generator {
 public:
  Generator(std::uint64_t seed, const GeneratorOptions& options)
      : random_(seed), options_(options) {}

  Program run() {
    Program p;
    Class c;
    c.name = "C";
    for (const char* f : {"f", "g", "h", "next", "row"}) c.fields.push_back({f, false});
    c.fields.push_back({"v", true});
    methods_ = pick(1, 3);
    for (int i = 0; i < methods_; ++i) c.methods.push_back(method(i));
    p.classes.push_back(std::move(c));
    for (const char* name : {"o1", "o2", "l1", "l2"}) p.shared.push_back({{}, name, "C", {}});
    for (const char* name : {"a1", "a2"}) p.shared.push_back({{}, name, {}, kArrayLength});
    const int threads = pick(0, 3) == 0 ? 3 : 2;
    for (int i = 0; i < threads; ++i) p.threads.push_back({{}, thread()});
    return p;
  }

 private:
  int pick(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }
  bool chance(int percent) { return pick(1, 100) <= percent; }
  template <class T>
  const T& one_of(const std::vector<T>& v) {
    return v[static_cast<std::size_t>(pick(0, static_cast<int>(v.size()) - 1))];
  }

  struct Index {
    std::string variable;
    std::int64_t low, high;  // inclusive
  };
  // What may be used at a point.
  struct Scope {
    std::vector<std::string> objects, arrays;
    std::vector<Index> indices;
    int calls_up_to = 0;  // methods [0, n) may be called: no recursion
    bool holds_l1 = false, holds_l2 = false;
    bool in_loop = false, in_try = false;
    int depth = 0;
  };

  Method method(int number) {
    Method m;
    m.name = "m" + std::to_string(number);
    m.parameters = {"o", "a", "i", "n"};
    m.body = std::make_unique<Block>();
    Scope s;
    s.objects = {"this", "o"};
    s.arrays = {"a"};
    s.indices = {{"i", 0, 5}, {"n", kLeastN, kLargestN}};
    s.calls_up_to = number;
    in_method_ = true;
    can_throw_ = chance(12);
    throws_.push_back(can_throw_);
    statements(*m.body, s, pick(2, 5));
    if (chance(50)) m.result = "t";
    in_method_ = false;
    return m;
  }

  BlockPtr thread() {
    auto body = std::make_unique<Block>();
    Scope s;
    s.objects = {"o1", "o2"};
    s.arrays = {"a1", "a2"};
    s.calls_up_to = methods_;
    can_throw_ = false;
    add(*body, Assign{"k", make_int(pick(0, 3))});
    add(*body, Assign{"n", make_int(pick(kLeastN, kLargestN))});
    s.indices = {{"k", 0, 3}, {"n", kLeastN, kLargestN}};
    if (chance(60)) {
      // Aliases: p is o1 or o2, unknown to the analysis.
      add(*body, Assign{"p", make_var("o1")});
      if (chance(50)) {
        auto arm = std::make_unique<Block>();
        add(*arm, Assign{"p", make_var("o2")});
        add(*body, If{condition(s), std::move(arm), std::make_unique<Block>()});
      }
      s.objects.push_back("p");
    }
    statements(*body, s, pick(2, 5));
    return body;
  }

  template <class T>
  void add(Block& b, T node) {
    b.stmts.push_back(make_stmt(std::move(node)));
  }

  ExprPtr index(const Scope& s) {
    if (chance(25)) return make_int(pick(0, static_cast<int>(kArrayLength) - 1));
    const Index i = one_of(s.indices);
    const std::int64_t c = pick(0, 2);
    if (chance(20) && 2 * i.low >= 0 && 2 * i.high + c < kArrayLength) {
      ExprPtr twice = make_binary(BinaryOp::Mul, make_int(2), make_var(i.variable));
      return c == 0 ? std::move(twice) : make_binary(BinaryOp::Add, std::move(twice), make_int(c));
    }
    if (c != 0 && i.high + c < kArrayLength && chance(50)) {
      return make_binary(BinaryOp::Add, make_var(i.variable), make_int(c));
    }
    if (c != 0 && i.low - c >= 0 && chance(50)) {
      return make_binary(BinaryOp::Sub, make_var(i.variable), make_int(c));
    }
    if (i.low < 0 || i.high >= kArrayLength) return make_int(0);
    return make_var(i.variable);
  }

  ExprPtr condition(const Scope& s) {
    if (chance(45)) {
      auto e = std::make_unique<Expr>();
      e->node = Nondet{};
      return e;
    }
    const auto op = static_cast<BinaryOp>(
        pick(static_cast<int>(BinaryOp::Equal), static_cast<int>(BinaryOp::AtLeast)));
    const Index i = one_of(s.indices);
    return make_binary(op, make_var(i.variable),
                       chance(50) ? make_var(one_of(s.indices).variable) : make_int(pick(0, 4)));
  }

  std::string field() { return one_of(std::vector<std::string>{"f", "g", "h"}); }

  void statements(Block& b, Scope s, int count) {
    for (int i = 0; i < count; ++i) statement(b, s);
  }

  void statement(Block& b, Scope& s) {
    const int kind = pick(1, 100);
    if (kind <= 46) return access(b, s);
    if (kind <= 56) return locked(b, s);
    if (kind <= 66 && s.depth < 3) return branch(b, s);
    if (kind <= 80 && s.depth < 2) return loop(b, s);
    if (kind <= 87 && s.calls_up_to > 0) return call(b, s);
    if (kind <= 90) return volatile_access(b, s);
    if (kind <= 92 && !in_method_ && s.depth == 0 && s.calls_up_to > 0) return fork(b, s);
    if (kind <= 94 && can_throw_) {
      auto arm = std::make_unique<Block>();
      add(*arm, Throw{});
      return add(b, If{condition(s), std::move(arm), std::make_unique<Block>()});
    }
    if (kind <= 95 && options_.diverging && !s.holds_l1 && !s.holds_l2) {
      auto arm = std::make_unique<Block>();
      add(*arm, Halt{});
      return add(b, If{condition(s), std::move(arm), std::make_unique<Block>()});
    }
    if (kind <= 97) {
      if (s.in_loop && chance(50)) return add(b, Break{condition(s)});
      // An alias through the heap.
      add(b, FieldWrite{one_of(s.objects), "next", make_var(one_of(s.objects))});
      return;
    }
    return pair_of_reads(b, s);
  }

  // u.next read twice: with alias facts the second access is known to be the same object.
  void pair_of_reads(Block& b, Scope& s) {
    const std::string base = one_of(s.objects);
    const std::string x = fresh("x"), y = fresh("y");
    add(b, FieldWrite{base, "next", make_var(one_of(s.objects))});
    add(b, FieldRead{x, base, "next"});
    add(b, FieldRead{"t", x, field()});
    if (chance(50)) access(b, s);
    add(b, FieldRead{y, base, "next"});
    guarded(b, y, [&](Block& inner) { add(inner, FieldRead{"t", y, field()}); });
  }

  // The value may be null when another thread races; look before use.
  template <class Body>
  void guarded(Block& b, const std::string& variable, Body body) {
    auto arm = std::make_unique<Block>();
    body(*arm);
    auto null = std::make_unique<Expr>();
    null->node = NullLiteral{};
    add(b, If{make_binary(BinaryOp::NotEqual, make_var(variable), std::move(null)), std::move(arm),
              std::make_unique<Block>()});
  }

  void access(Block& b, Scope& s) {
    const bool write = chance(45);
    if (chance(45)) {
      std::string a = one_of(s.arrays);
      if (chance(15)) a = through_field(b, s, a);
      if (write) {
        add(b, ArrayWrite{a, index(s), make_int(pick(0, 9))});
      } else {
        add(b, ArrayRead{"t", a, index(s)});
      }
      return;
    }
    const std::string o = one_of(s.objects);
    if (write) {
      add(b, FieldWrite{o, field(), make_int(pick(0, 9))});
    } else {
      add(b, FieldRead{"t", o, field()});
    }
  }

  // An array that has to be read from a field first, another one each time, for all the analysis
  // can tell. Only arrays are ever stored there, so that a race changes which one it is and nothing
  // else.
  std::string through_field(Block& b, const Scope& s, const std::string& array) {
    const std::string object = one_of(s.objects);
    const std::string row = fresh("r");
    add(b, FieldWrite{object, "row", make_var(array)});
    if (chance(50)) add(b, FieldRead{"t", object, field()});
    add(b, FieldRead{row, object, "row"});
    return row;
  }

  // Locks are shared names, so methods (which have no free names) use their parameters: `this` is
  // never locked by threads, so no cycle arises.
  void locked(Block& b, Scope& s) {
    if (in_method_) return method_lock(b, s);
    const bool first = !s.holds_l1 && !s.holds_l2 && chance(50);
    if (s.holds_l2 || s.in_try) return access(b, s);
    const std::string lock = first ? "l1" : "l2";
    Scope inner = s;
    (first ? inner.holds_l1 : inner.holds_l2) = true;
    inner.in_loop = false;  // no break out of a critical section
    add(b, Sync{Sync::Kind::Acquire, lock});
    statements(b, inner, pick(1, 3));
    if (chance(10)) {
      add(b, Sync{Sync::Kind::Wait, lock});
      access(b, inner);
    }
    add(b, Sync{Sync::Kind::Release, lock});
  }
  void method_lock(Block& b, Scope& s) {
    if (s.holds_l1 || can_throw_) return access(b, s);
    Scope inner = s;
    inner.holds_l1 = true;
    inner.in_loop = false;
    inner.calls_up_to = 0;
    add(b, Sync{Sync::Kind::Acquire, "this"});
    for (int i = pick(1, 2); i > 0; --i) access(b, inner);
    add(b, Sync{Sync::Kind::Release, "this"});
  }

  void branch(Block& b, Scope& s) {
    Scope inner = s;
    ++inner.depth;
    auto then_block = std::make_unique<Block>();
    auto else_block = std::make_unique<Block>();
    statements(*then_block, inner, pick(1, 2));
    if (chance(60)) statements(*else_block, inner, pick(1, 2));
    add(b, If{condition(s), std::move(then_block), std::move(else_block)});
  }

  void loop(Block& b, Scope& s) {
    if (options_.diverging && chance(40)) return endless(b, s);
    Scope inner = s;
    ++inner.depth;
    inner.in_loop = true;
    const std::string i = fresh("i");
    const int step = chance(25) ? 2 : 1;
    auto body = std::make_unique<Block>();
    const bool down = chance(30);
    const int low = pick(0, 2), high = low + pick(1, s.depth == 0 ? 3 : 2) * step;
    const bool up_to_n = !down && chance(30);
    inner.indices = {{i, low, up_to_n ? kLargestN - 1 : high}};
    if (chance(40)) inner.indices.push_back(one_of(s.indices));
    if (chance(15)) add(*body, Break{condition(inner)});
    statements(*body, inner, pick(1, 2));
    if (chance(30)) add(*body, ArrayRead{"t", one_of(s.arrays), make_var(i)});
    ExprPtr bound = up_to_n ? make_var("n") : make_int(high);
    const auto move = [&](int d) {
      auto e =
          make_binary(d > 0 ? BinaryOp::Add : BinaryOp::Sub, make_var(i), make_int(d > 0 ? d : -d));
      return make_stmt(Assign{i, std::move(e)});
    };
    if (down) {
      add(b, For{make_stmt(Assign{i, make_int(high)}), move(-step),
                 make_binary(BinaryOp::AtLeast, make_var(i), make_int(low)), std::move(body)});
    } else {
      add(b, For{make_stmt(Assign{i, make_int(low)}), move(step),
                 make_binary(BinaryOp::Less, make_var(i), std::move(bound)), std::move(body)});
    }
  }

  // Goes round until a choice says otherwise, or for ever.
  void endless(Block& b, Scope& s) {
    Scope inner = s;
    ++inner.depth;
    inner.in_loop = true;
    auto body = std::make_unique<Block>();
    statements(*body, inner, pick(1, 3));
    if (chance(70)) {
      auto e = std::make_unique<Expr>();
      e->node = Nondet{};
      add(*body, Break{std::move(e)});
    }
    access(*body, inner);
    add(b, Loop{std::move(body)});
  }

  void call(Block& b, Scope& s) {
    const int m = pick(0, s.calls_up_to - 1);
    Invoke n;
    if (chance(40)) n.target = "t";
    n.base = one_of(s.objects);
    n.method = "m" + std::to_string(m);
    n.arguments.push_back(make_var(one_of(s.objects)));
    n.arguments.push_back(make_var(one_of(s.arrays)));
    n.arguments.push_back(make_int(pick(0, 3)));
    n.arguments.push_back(make_int(pick(kLeastN, kLargestN)));
    if (!throws_[static_cast<std::size_t>(m)] || can_throw_ || s.holds_l1 || s.holds_l2) {
      if (throws_[static_cast<std::size_t>(m)] && (s.holds_l1 || s.holds_l2)) return access(b, s);
      return add(b, std::move(n));
    }
    auto body = std::make_unique<Block>();
    Scope inner = s;
    inner.in_try = true;
    inner.in_loop = false;
    if (chance(50)) access(*body, inner);
    add(*body, std::move(n));
    if (chance(50)) access(*body, inner);
    auto handler = std::make_unique<Block>();
    if (chance(50)) access(*handler, inner);
    add(b, Try{std::move(body), std::move(handler)});
  }

  void volatile_access(Block& b, Scope& s) {
    if (chance(50)) {
      add(b, FieldRead{"t", one_of(s.objects), "v"});
    } else {
      add(b, FieldWrite{one_of(s.objects), "v", make_int(pick(0, 3))});
    }
  }

  void fork(Block& b, Scope& s) {
    if (forked_ || s.holds_l1 || s.holds_l2) return access(b, s);
    forked_ = true;
    Invoke n;
    n.target = fresh("h");
    n.base = one_of(s.objects);
    n.method = "m" + std::to_string(pick(0, s.calls_up_to - 1));
    n.arguments.push_back(make_var(one_of(s.objects)));
    n.arguments.push_back(make_var(one_of(s.arrays)));
    n.arguments.push_back(make_int(pick(0, 3)));
    n.arguments.push_back(make_int(pick(kLeastN, kLargestN)));
    n.fork = true;
    const std::string handle = n.target;
    add(b, std::move(n));
    access(b, s);
    if (chance(70)) add(b, Sync{Sync::Kind::Join, handle});
  }

  std::string fresh(const char* stem) { return stem + std::to_string(++names_); }

  std::mt19937_64 random_;
  GeneratorOptions options_;
  int methods_ = 0;
  std::vector<bool> throws_;
  bool in_method_ = false, can_throw_ = false, forked_ = false;
  int names_ = 0;
};

}  // namespace

Program generate(std::uint64_t seed, const GeneratorOptions& options) {
  return Generator(seed, options).run();
}

}  // namespace bigfoot::bfj
