// The fingerprint: what it must not depend on, and what it must.
#include "report_fixture.h"

namespace bigfoot::rt::report::testing {
namespace {

// A race described by what may go into a fingerprint.
struct Described {
  Named first = {"writer(int)", "/src/w.cpp", 12, 5};
  Named second = {"reader()", "/src/r.cpp", 30, 2};
  AccessKind first_kind = AccessKind::kWrite;
  AccessKind second_kind = AccessKind::kRead;
  u64 first_size = 4, second_size = 8;
  std::string variable = "counter";
  // What must make no difference.
  bool swapped = false;
  usize shift = 0;  // of all addresses
  u32 thread = 1;
  std::string caller = "main";
};

u64 fingerprint_of(const Described& d) {
  Program p;
  for (usize i = 0; i < d.shift; ++i) p.code({"padding", "/p.c", 1, 1});
  if (d.shift != 0) p.variable("padding", 64 * d.shift);
  const uptr address = p.variable(d.variable, 8);
  const Pc caller = p.code({d.caller, "/src/m.cpp", 3, 3});
  const Access a =
      access(d.first_kind, address, d.first_size, kMainThread, p.at({p.code(d.first), caller}));
  const Access b = access(d.second_kind, address, d.second_size, p.thread(d.thread),
                          p.at({p.code(d.second), caller}));
  Keeper keeper;
  SymbolCache symbols(keeper, p.symbolizer);
  ReportMemory memory;
  return Resolver(p.facts, symbols, p.options, memory)
      .race(d.swapped ? race(b, a) : race(a, b))
      ->fingerprint;
}

TEST(Fingerprint, IsTheSameInEveryRun) {
  const u64 original = fingerprint_of({});
  EXPECT_EQ(fingerprint_of({.swapped = true}), original) << "order of the two accesses";
  EXPECT_EQ(fingerprint_of({.shift = 37}), original) << "addresses";
  EXPECT_EQ(fingerprint_of({.thread = 5}), original) << "thread numbers";
  EXPECT_EQ(fingerprint_of({.caller = "other_main"}), original)
      << "callers of the user's own function";
  EXPECT_EQ(fingerprint_of({.first = {"writer(int)", "/home/x/w.cpp", 12, 5}}), original)
      << "folders";
  EXPECT_EQ(fingerprint_of({.first = {"writer(int)", "/src/w.cpp", 12, 9}}), original) << "columns";
}

TEST(Fingerprint, TellsDifferentRacesApart) {
  const Described variations[] = {
      {},
      {.first = {"writer(long)", "/src/w.cpp", 12, 5}},
      {.first = {"writer(int)", "/src/x.cpp", 12, 5}},
      {.first = {"writer(int)", "/src/w.cpp", 13, 5}},
      {.first_kind = AccessKind::kAtomicWrite},
      {.first_size = 8},
      {.second_kind = AccessKind::kWrite},
      {.second_size = 4},
      {.variable = "other_counter"},
      // The same words in another order.
      {.first = {"reader()", "/src/r.cpp", 30, 2}, .second = {"reader()", "/src/r.cpp", 30, 2}},
      {.first = {"writer(int)", "/src/w.cpp", 12, 5},
       .second = {"writer(int)", "/src/w.cpp", 12, 5}},
  };
  std::map<u64, usize> seen;
  for (usize i = 0; i < std::size(variations); ++i) {
    const auto [it, fresh] = seen.emplace(fingerprint_of(variations[i]), i);
    EXPECT_TRUE(fresh) << "variation " << i << " looks like " << it->second;
  }
}

TEST(Fingerprint, LibraryCodeIsToldApartByItsCaller) {
  const auto of = [](const std::string& user) {
    Program p;
    const Pc push =
        p.code({{"std::vector<int>::push_back(int)", "/usr/include/c++/12/bits/stl_vector.h", 9, 1},
                {user, "/src/u.cpp", 4, 4}});
    const Origin here = p.at({push});
    Keeper keeper;
    SymbolCache symbols(keeper, p.symbolizer);
    ReportMemory memory;
    return Resolver(p.facts, symbols, p.options, memory)
        .race(race(access(AccessKind::kWrite, 0x1000, 4, kMainThread, here),
                   access(AccessKind::kWrite, 0x1000, 4, p.thread(1), here)))
        ->fingerprint;
  };
  EXPECT_EQ(of("add()"), of("add()"));
  EXPECT_NE(of("add()"), of("insert()"));
}

// A library function that splits a range until it is short: whether it has is up to the data.
TEST(Fingerprint, HowDeepAFunctionCallsItselfMakesNoDifference) {
  const auto of = [](bool calls_itself) {
    Program p;
    const Pc sort = p.code({"std::__introsort_loop<int*>(int*, int*, int)",
                            "/usr/include/c++/12/bits/stl_algo.h", 1904, 4});
    const Pc user = p.code({"order()", "/src/o.cpp", 4, 4});
    const Origin here = calls_itself ? p.at({sort, kOwnCalls, user}) : p.at({sort, user});
    Keeper keeper;
    SymbolCache symbols(keeper, p.symbolizer);
    ReportMemory memory;
    return Resolver(p.facts, symbols, p.options, memory)
        .race(race(access(AccessKind::kWrite, 0x1000, 4, kMainThread, here),
                   access(AccessKind::kWrite, 0x1000, 4, p.thread(1), here)))
        ->fingerprint;
  };
  EXPECT_EQ(of(true), of(false));
}

TEST(Fingerprint, ABlockIsKnownByWhereItWasAllocated) {
  const auto of = [](uptr address, u32 line) {
    Program p;
    const Origin here = p.at({p.code({"f", "/f.c", 1, 1})});
    p.block(address, 64, p.at({p.code({"make", "/m.c", line, 1})}));
    Keeper keeper;
    SymbolCache symbols(keeper, p.symbolizer);
    ReportMemory memory;
    return Resolver(p.facts, symbols, p.options, memory)
        .race(race(access(AccessKind::kWrite, address, 4, kMainThread, here),
                   access(AccessKind::kWrite, address, 4, p.thread(1), here)))
        ->fingerprint;
  };
  EXPECT_EQ(of(0x700000000000, 5), of(0x700000100000, 5));
  EXPECT_NE(of(0x700000000000, 5), of(0x700000000000, 6));
}

TEST(Fingerprint, WithoutNamesModuleAndOffsetCount) {
  Program p;
  const Pc a = p.nameless_code(), b = p.nameless_code();
  Keeper keeper;
  SymbolCache symbols(keeper, p.symbolizer);
  const auto of = [&](Pc pc) {
    ReportMemory memory;
    const Origin here = p.at({pc});
    return Resolver(p.facts, symbols, p.options, memory)
        .race(race(access(AccessKind::kWrite, 0x1000, 4, kMainThread, here),
                   access(AccessKind::kWrite, 0x1000, 4, p.thread(1), here)))
        ->fingerprint;
  };
  EXPECT_EQ(of(a), of(a));
  EXPECT_NE(of(a), of(b));
}

}  // namespace
}  // namespace bigfoot::rt::report::testing
