#include "analysis/solver/z3/z3_engine.h"

#include <z3.h>

#include <map>
#include <vector>

namespace bigfoot::solver {
namespace {

using logic::Atom;
using logic::Coverage;
using logic::LinearExpr;
using logic::Query;
using logic::Range;
using logic::SymbolId;
using logic::Verdict;

// Builds terms in one context. Every AST made here is kept alive by the context until the engine is
// destroyed or the context is renewed (Z3_mk_context without reference counting).
class Builder {
 public:
  explicit Builder(Z3_context c) : c_(c), int_sort_(Z3_mk_int_sort(c)) {}

  Z3_ast number(std::int64_t n) { return Z3_mk_int64(c_, n, int_sort_); }
  Z3_ast constant(const char* name) {
    return Z3_mk_const(c_, Z3_mk_string_symbol(c_, name), int_sort_);
  }
  Z3_ast symbol(SymbolId s) {
    return Z3_mk_const(c_, Z3_mk_int_symbol(c_, static_cast<int>(logic::index_of(s))), int_sort_);
  }
  Z3_ast expr(const LinearExpr& e) {
    std::vector<Z3_ast> sum{number(e.constant())};
    for (const auto& t : e.terms()) {
      Z3_ast product[] = {number(t.coefficient), symbol(t.symbol)};
      sum.push_back(t.coefficient == 1 ? product[1] : Z3_mk_mul(c_, 2, product));
    }
    return sum.size() == 1 ? sum[0] : Z3_mk_add(c_, static_cast<unsigned>(sum.size()), sum.data());
  }
  Z3_ast atom(const Atom& a) {
    Z3_ast e = expr(a.expr);
    Z3_ast zero = number(0);
    switch (a.kind) {
      case Atom::Kind::NonNegative:
        return Z3_mk_ge(c_, e, zero);
      case Atom::Kind::Zero:
        return Z3_mk_eq(c_, e, zero);
      case Atom::Kind::NonZero:
        return Z3_mk_not(c_, Z3_mk_eq(c_, e, zero));
      case Atom::Kind::Divisible:
        return Z3_mk_eq(c_, Z3_mk_mod(c_, e, number(a.modulus)), zero);
    }
    __builtin_unreachable();
  }
  Z3_ast member(const Range& r, Z3_ast unit) {
    if (!r.valid()) return Z3_mk_false(c_);
    Z3_ast begin = expr(r.begin);
    Z3_ast end = expr(r.end);
    Z3_ast not_before = Z3_mk_le(c_, begin, unit);
    if (r.contiguous()) return both(not_before, Z3_mk_lt(c_, unit, end));
    Z3_ast distance[] = {unit, begin};
    Z3_ast offset = Z3_mk_mod(c_, Z3_mk_sub(c_, 2, distance), number(r.step));
    Z3_ast start[] = {unit, offset};
    return both(not_before, both(Z3_mk_lt(c_, Z3_mk_sub(c_, 2, start), end),
                                 Z3_mk_lt(c_, offset, number(r.width))));
  }

 private:
  Z3_ast both(Z3_ast a, Z3_ast b) {
    Z3_ast args[] = {a, b};
    return Z3_mk_and(c_, 2, args);
  }
  Z3_context c_;
  Z3_sort int_sort_;
};

}  // namespace

struct Z3Engine::Handles {
  Z3_context context = nullptr;
  Z3_solver solver = nullptr;

  Handles() { open(); }
  ~Handles() { close(); }
  Handles(const Handles&) = delete;
  Handles& operator=(const Handles&) = delete;

  // Terms accumulate in a context that does not count references; renewing it now and then bounds
  // memory, and always after the same number of queries so that results stay reproducible.
  static constexpr int kQueriesPerContext = 2000;
  int queries = 0;

  void begin_query() {
    if (++queries % kQueriesPerContext != 0) return;
    close();
    open();
  }

 private:
  void open() {
    Z3_config config = Z3_mk_config();
    Z3_set_param_value(config, "model", "false");
    context = Z3_mk_context(config);
    Z3_del_config(config);
    // Errors surface as an undefined result, which is Unknown to us.
    Z3_set_error_handler(context, [](Z3_context, Z3_error_code) {});
    // The bare solver: our queries are small, and what a tactic prepares for one takes longer than
    // deciding it.
    solver = Z3_mk_simple_solver(context);
    Z3_solver_inc_ref(context, solver);
    Z3_params params = Z3_mk_params(context);
    Z3_params_inc_ref(context, params);
    Z3_params_set_uint(context, params, Z3_mk_string_symbol(context, "rlimit"), kResourceLimit);
    Z3_params_set_uint(context, params, Z3_mk_string_symbol(context, "random_seed"), 0);
    Z3_solver_set_params(context, solver, params);
    Z3_params_dec_ref(context, params);
  }
  void close() {
    Z3_solver_dec_ref(context, solver);
    Z3_del_context(context);
  }
};

Z3Engine::Z3Engine() : z3_(std::make_unique<Handles>()) {}
Z3Engine::~Z3Engine() = default;

Verdict Z3Engine::decide(const Query& query) {
  z3_->begin_query();
  Z3_context c = z3_->context;
  Z3_solver s = z3_->solver;
  Builder build(c);
  // A fact that overflowed is left out, so that what follows from the rest stands; but then a model
  // of the rest is not a counterexample.
  bool complete = true;
  Z3_solver_reset(c, s);
  for (const Atom& fact : query.facts) {
    if (fact.expr.valid()) {
      Z3_solver_assert(c, s, build.atom(fact));
    } else {
      complete = false;
    }
  }
  if (const auto* goal = std::get_if<Atom>(&query.goal)) {
    if (!goal->expr.valid()) return Verdict::Unknown;
    Z3_solver_assert(c, s, Z3_mk_not(c, build.atom(*goal)));
  } else {
    const auto& coverage = std::get<Coverage>(query.goal);
    if (!coverage.target.valid()) return Verdict::Unknown;
    Z3_ast unit = build.constant("unit");
    Z3_solver_assert(c, s, build.member(coverage.target, unit));
    for (const Range& source : coverage.sources) {
      complete = complete && source.valid();
      Z3_solver_assert(c, s, Z3_mk_not(c, build.member(source, unit)));
    }
  }
  switch (Z3_solver_check(c, s)) {
    case Z3_L_FALSE:
      return Verdict::Proved;
    case Z3_L_TRUE:
      return complete ? Verdict::Refuted : Verdict::Unknown;
    default:
      return Verdict::Unknown;
  }
}

}  // namespace bigfoot::solver
