// Suppressions: the language, what they cover, and what is counted.
#include "report_fixture.h"

namespace bigfoot::rt::report::testing {
namespace {

TEST(SuppressionPattern, Table) {
  struct {
    const char* pattern;
    const char* name;
    bool matches;
  } cases[] = {
      {"foo", "foo", true},
      {"foo", "a::foo(int)", true},
      {"foo", "fo", false},
      {"foo", "", false},
      {"foo", "fofoo", true},
      {"f*o", "foo", true},
      {"f*o", "fabco", true},
      {"f*o", "fab", false},
      {"*", "anything", true},
      {"*", "", false},
      {"a*b*c", "xaxbxcx", true},
      {"a*b*c", "xaxcxbx", false},
      {"a**c", "abc", true},
      {"^foo", "foo(int)", true},
      {"^foo", "a::foo", false},
      {"foo$", "a::foo", true},
      {"foo$", "foo(int)", false},
      {"foo$", "foo foo", true},
      {"^foo$", "foo", true},
      {"^foo$", "foofoo", false},
      {"^f*o$", "fxo", true},
      {"^f*o$", "fxox", false},
      {"^f*o$", "f", false},
      {"^fo*of$", "fof", false},  // the pieces may not share characters
      {"^*foo", "a::foo", true},
      {"foo*$", "a::foo(int)", true},
      {"std::vector<*>::push_back", "std::vector<int, A>::push_back(int&&)", true},
      {"/lib*.so", "/usr/lib/libfoo.so.1", true},
      {"A", "a", false},
  };
  for (const auto& c : cases)
    EXPECT_EQ(pattern_matches(c.pattern, c.name), c.matches) << c.pattern << " on " << c.name;
}

std::string parse_error(const std::string& text) {
  Keeper keeper;
  Suppressions s(keeper);
  TextBuffer error;
  EXPECT_FALSE(s.parse(Text(text.data(), text.size()), "my.supp", error)) << text;
  return to_string(error.text());
}

TEST(SuppressionFile, CommentsBlanksAndAllTypes) {
  Keeper keeper;
  Suppressions s(keeper);
  TextBuffer error;
  EXPECT_TRUE(
      s.parse("# a comment\n\n  race:foo  \r\nrace_top:b\nmutex:c\nthread:d\nsignal:e\n"
              "called_from_lib:f\n  # another\ndeadlock:g:h",
              "my.supp", error));
  std::string all;
  for (const Suppression* p = s.first(); p != nullptr; p = p->next)
    all += to_string(name_of(p->type)) + ":" + to_string(p->pattern) + "@" +
           std::to_string(p->line) + " ";
  EXPECT_EQ(all,
            "race:foo@3 race_top:b@4 mutex:c@5 thread:d@6 signal:e@7 called_from_lib:f@8 "
            "deadlock:g:h@10 ");
}

TEST(SuppressionFile, BadLinesAreNamed) {
  EXPECT_EQ(parse_error("race:a\nnonsense\n"),
            "my.supp:2: expected 'type:pattern', found 'nonsense'");
  EXPECT_EQ(parse_error("\n\nrce:a"), "my.supp:3: unknown suppression type 'rce'");
  EXPECT_EQ(parse_error("race:"), "my.supp:1: the pattern after 'race:' is empty");
  EXPECT_EQ(parse_error(":a"), "my.supp:1: unknown suppression type ''");
}

TEST(SuppressionFile, BadFilesEndTheProcessWith64) {
  Program p;
  p.options.suppressions = "/no/such/file";
  EXPECT_EXIT(p.reporter(), ::testing::ExitedWithCode(64),
              "^bigfoot: cannot read the suppressions file '/no/such/file'\n$");
  const std::string path = p.write_file("bad.supp", "race:ok\nfoo\n");
  p.options.suppressions = path.c_str();
  EXPECT_EXIT(p.reporter(), ::testing::ExitedWithCode(64),
              "^bigfoot: .*/bad.supp:2: expected 'type:pattern', found 'foo'\n$");
  p.options.suppressions = "/tmp";  // can be opened, not read
  EXPECT_EXIT(p.reporter(), ::testing::ExitedWithCode(64),
              "^bigfoot: cannot read the suppressions file");
}

// One race with everything a suppression can name.
struct Scene {
  Program p;
  Race found;

  explicit Scene(const std::string& suppressions) {
    static std::string path;
    path = p.write_file("supp", suppressions);
    p.options.suppressions = path.c_str();
    const Pc top =
        p.code({{"inner()", "/src/inner.h", 3, 1}, {"outer(int)", "/src/outer.cpp", 4, 1}});
    const Pc below = p.code({"caller", "/src/caller.cpp", 5, 1});
    const Pc other = p.code({"reader()", "/src/reader.cpp", 6, 1});
    const Pc spawn = p.code({"spawn()", "/src/spawn.cpp", 7, 1});
    const uptr variable = p.variable("the_variable", 8);
    const ThreadId t = p.thread(1, "", kMainThread, p.at({spawn}));
    found = race(access(AccessKind::kWrite, variable, 8, kMainThread, p.at({top, below})),
                 access(AccessKind::kRead, variable, 8, t, p.at({other})));
  }
  bool printed() { return p.reporter().race_found(found); }
};

TEST(Suppressions, WhatEachKindCoversInARace) {
  struct {
    std::string line;
    bool covers;
  } cases[] = {
      {"race:inner", true},
      {"race:outer", true},
      {"race:caller", true},
      {"race:^reader()$", true},
      {"race:reader.cpp", true},
      {"race:spawn", true},
      {"race:the_variable", true},
      {"race:" + executable_name(), true},
      {"race:absent", false},
      {"race_top:inner", true},
      {"race_top:outer", false},
      {"race_top:caller", false},
      {"race_top:reader", true},
      {"race_top:spawn", false},
      {"race_top:the_variable", true},
      {"called_from_lib:" + executable_name(), true},
      {"called_from_lib:inner", false},
      {"mutex:inner", false},
      {"thread:spawn", false},
      {"signal:inner", false},
      {"deadlock:inner", false},
  };
  for (const auto& c : cases) {
    Scene scene(c.line);
    EXPECT_EQ(scene.printed(), !c.covers) << c.line;
    EXPECT_EQ(scene.p.reporter().counts().suppressed, c.covers ? 1u : 0u) << c.line;
    EXPECT_EQ(scene.p.reporter().finish(0), c.covers ? 0 : 66) << c.line;
  }
}

// Each type by its own rule, on a race between put() in a.cpp and get() in b.cpp on `table`; the
// library's vector is what both call.
TEST(Suppressions, TypesThatNameOneThing) {
  const Named inside{"std::vector<int>::at(unsigned long)", "/usr/include/c++/12/vector", 9, 1};
  struct {
    const char* line;
    bool covers;
  } cases[] = {
      {"race_pair:put <-> get", true},
      {"race_pair:^get()$<->b.cpp", false},  // both on the same side
      {"race_pair:a.cpp <-> ^get()$", true},
      {"race_pair:put <-> put", false},
      {"race_pair:vector <-> vector", false},  // the library's frames are not what one means
      {"race_function:^put()$", true},
      {"race_function:a.cpp", false},
      {"race_function:caller", false},
      {"race_variable:^table$", true},
      {"race_variable:put", false},
      {"race_library:unit_report$", true},
      {"race_library:libother.so", false},
      {"fingerprint:0123456789abcdef", false},
  };
  for (const auto& c : cases) {
    Program p;
    const std::string supp = p.write_file("supp", c.line);
    p.options.suppressions = supp.c_str();
    const Pc caller = p.code({"caller()", "/src/c.cpp", 1, 1});
    const Origin put = p.at({p.code(inside), p.code({"put()", "/src/a.cpp", 3, 1}), caller});
    const Origin get = p.at({p.code(inside), p.code({"get()", "/src/b.cpp", 4, 1}), caller});
    const uptr table = p.variable("table", 8);
    p.reporter().race_found(race(access(AccessKind::kWrite, table, 8, kMainThread, put),
                                 access(AccessKind::kRead, table, 8, p.thread(1), get)));
    EXPECT_EQ(p.reporter().counts().suppressed, c.covers ? 1u : 0u) << c.line;
  }
}

TEST(Suppressions, AFingerprintIsOneRace) {
  std::string fingerprint;
  for (const bool suppressed : {false, true}) {
    Program p;
    const std::string supp = p.write_file("supp", "fingerprint:" + fingerprint);
    if (suppressed) p.options.suppressions = supp.c_str();
    const Origin here = p.at({p.code({"f()", "/src/a.cpp", 3, 1})});
    for (const char* name : {"x", "y"}) {
      const uptr variable = p.variable(name, 8);
      p.reporter().race_found(race(access(AccessKind::kWrite, variable, 8, kMainThread, here),
                                   access(AccessKind::kRead, variable, 8, p.thread(1), here)));
    }
    EXPECT_EQ(p.reporter().counts().reported, suppressed ? 1u : 2u);
    const std::string log = p.log();
    fingerprint = log.substr(log.find("Fingerprint: ") + 13, 16);
  }
}

TEST(Suppressions, EndWithTheirDay) {
  struct {
    const char* today;
    bool covers;
  } cases[] = {{"2026-12-30", true}, {"2026-12-31", true}, {"2027-01-01", false}};
  for (const auto& c : cases) {
    Keeper keeper;
    Suppressions s(keeper);
    s.set_today(c.today);
    TextBuffer error, listed;
    ASSERT_TRUE(s.parse("[until 2026-12-31] race:f", "my.supp", error));
    Report report;
    ReportAccess accesses[2];
    SourceFrame frame{"f()", "/src/a.cpp", 1, 1};
    ResolvedPc pc{1, {}, &frame, 1};
    const ResolvedPc* pcs[] = {&pc};
    accesses[0].stack = {pcs, 1, false};
    report.accesses = accesses;
    report.access_count = 2;
    EXPECT_EQ(s.match(report) != nullptr, c.covers) << c.today;
    s.list_expired(listed);
    EXPECT_EQ(to_string(listed.text()),
              c.covers
                  ? ""
                  : "BigFoot: my.supp:1: race:f expired after 2026-12-31 and would have hidden "
                    "1 report\n");
  }
}

TEST(SuppressionFile, WrongNewForms) {
  EXPECT_EQ(parse_error("race_pair:only one"),
            "my.supp:1: a pair is written 'A <-> B', found 'only one'");
  EXPECT_EQ(parse_error("race_pair: <-> b"),
            "my.supp:1: a pair is written 'A <-> B', found '<-> b'");
  EXPECT_EQ(parse_error("race_pair:a <->"),
            "my.supp:1: a pair is written 'A <-> B', found 'a <->'");
  EXPECT_EQ(parse_error("fingerprint:xyz"),
            "my.supp:1: a fingerprint is 16 hexadecimal digits, found 'xyz'");
  for (const char* line :
       {"[until 2026-13-01] race:f", "[until tomorrow] race:f", "[until 2026-12-31 race:f"})
    EXPECT_NE(parse_error(line).find("expected '[until YYYY-MM-DD] type:pattern'"),
              std::string::npos)
        << line;
}

TEST(SuppressionFile, DaysAreThoseOfTheCalendar) {
  for (const char* day : {"2027-01-31", "2027-04-30", "2028-02-29", "2000-02-29", "2027-12-31"})
    EXPECT_TRUE(is_day(day)) << day;
  for (const char* day : {"", "2027-1-31", "2027-00-01", "2027-01-00", "2027-04-31", "2027-02-29",
                          "2100-02-29", "2027-01-32", "2027/01/31", "20x7-01-31", "2027-01-311"})
    EXPECT_FALSE(is_day(day)) << day;
}

TEST(Suppressions, FindingsHaveTypesOfTheirOwn) {
  struct {
    const char* title;
    const char* line;
    bool covers;
  } cases[] = {
      {"destroy of a locked mutex", "mutex:^f$", true},
      {"destroy of a locked mutex", "race:^f$", false},
      {"unlock of an unlocked mutex (or by a wrong thread)", "mutex:^f$", true},
      {"some new trouble with a mutex", "mutex:^f$", true},
      {"thread leak", "thread:^f$", true},
      {"thread leak", "mutex:^f$", false},
      {"signal-unsafe call inside of a signal", "signal:^f$", true},
      {"lock-order-inversion (potential deadlock)", "deadlock:^f$", true},
      {"something else", "race:^f$", true},
  };
  for (const auto& c : cases) {
    Program p;
    const std::string path = p.write_file("supp", c.line);
    p.options.suppressions = path.c_str();
    const Origin here = p.at({p.code({"f", "/f.c", 1, 1})});
    EXPECT_EQ(p.reporter().finding({c.title, 0, here, kMainThread}), !c.covers) << c.title;
  }
}

TEST(Suppressions, HitsAreCountedAndUnusedOnesListed) {
  Scene scene("race:absent\nrace:inner\nrace:outer\nmutex:never\n");
  scene.p.options.print_suppressions = true;
  scene.p.options.report_unused_suppressions = true;
  for (int i = 0; i < 1000; ++i) EXPECT_FALSE(scene.printed());
  EXPECT_EQ(scene.p.reporter().counts().suppressed, 1000u);
  EXPECT_EQ(scene.p.reporter().finish(0), 0);
  EXPECT_EQ(scene.p.log(), "BigFoot: Matched 1 suppressions (pid=" + std::to_string(getpid()) +
                               "):\n" +
                               "1000 race:inner\n"
                               "BigFoot: Unused suppressions:\n" +
                               scene.p.path("supp") + ":1: race:absent\n" + scene.p.path("supp") +
                               ":3: race:outer\n" + scene.p.path("supp") + ":4: mutex:never\n");
}

TEST(Suppressions, TheSamePlacesReachedAnotherWayAreJudgedAnew) {
  Program p;
  const std::string path = p.write_file("supp", "race:tolerated");
  p.options.suppressions = path.c_str();
  const Pc access_pc = p.code({"f", "/f.c", 1, 1});
  const Origin tolerated = p.at({access_pc, p.code({"tolerated", "/t.c", 1, 1})});
  const Origin real = p.at({access_pc, p.code({"real", "/r.c", 1, 1})});
  const Origin other = p.at({p.code({"g", "/g.c", 1, 1})});
  const ThreadId t = p.thread(1);
  const auto found = [&](Origin o) {
    return p.reporter().race_found(race(access(AccessKind::kWrite, 0x1000, 4, kMainThread, o),
                                        access(AccessKind::kWrite, 0x1000, 4, t, other)));
  };
  EXPECT_FALSE(found(tolerated));
  EXPECT_TRUE(found(real));
  EXPECT_FALSE(found(tolerated));
  EXPECT_EQ(p.reporter().counts().suppressed, 2u);
}

TEST(Suppressions, MoreThanTheCacheCanNumberAreStillCounted) {
  std::string text;
  for (int i = 0; i < 400; ++i) text += "race:absent" + std::to_string(i) + "\n";
  Scene scene(text + "race:inner\n");
  scene.p.options.print_suppressions = true;
  for (int i = 0; i < 10; ++i) EXPECT_FALSE(scene.printed());
  scene.p.reporter().finish(0);
  EXPECT_NE(scene.p.log().find("\n10 race:inner\n"), std::string::npos) << scene.p.log();
}

}  // namespace
}  // namespace bigfoot::rt::report::testing
