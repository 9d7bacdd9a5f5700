// The text of a report, line by line, against what ThreadSanitizer prints.
#include <unistd.h>

#include <filesystem>
#include <sstream>

#include "report_fixture.h"

namespace bigfoot::rt::report::testing {
namespace {

constexpr auto kRead = AccessKind::kRead;
constexpr auto kWrite = AccessKind::kWrite;

std::string without_fingerprint(std::string text) {
  for (usize at; (at = text.find("  Fingerprint: ")) != std::string::npos;)
    text.erase(at, text.find('\n', at) + 2 - at);
  return text;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::string pid() {
  return "(pid=" + std::to_string(getpid()) + ")\n";
}

TEST(ReportText, ARaceOnAGlobalWithLocksAndThreads) {
  Program p;
  const Pc bump = p.code({"bump(int*)", "/src/a.cpp", 9, 49});
  const Pc worker = p.code({{"worker()", "/src/a.cpp", 14, 3}, {"start()", "/src/run.h", 7, 1}});
  const Pc main_call = p.code({"main", "/src/a.cpp", 16, 39});
  const Pc lock_a = p.code({"lock_a()", "/src/a.cpp", 20, 1});
  const Pc lock_b = p.code({"lock_b()", "/src/a.cpp", 21, 1});
  const Pc init = p.code({"init()", "/src/a.cpp", 2, 0});
  const uptr m0 = 0x5000, m1 = 0x6000;
  p.facts.mutexes[m0] = p.at({init});
  const uptr counter = p.variable("counter", 4);
  const ThreadId t1 =
      p.thread(1, "worker a", kMainThread, p.at({main_call}), ThreadState::kFinished);
  const Origin current = p.at({bump, main_call}, {{m0, p.at({lock_a}), false}});
  const Origin previous = p.at({bump, worker}, {{m1, p.at({lock_b}), true}});

  EXPECT_TRUE(p.reporter().race_found(race(access(kWrite, counter, 4, kMainThread, current),
                                           access(kRead, counter, 2, t1, previous))));

  std::ostringstream address, offset;
  address << std::hex << "0x" << counter;
  offset << std::hex << "0x" << counter - executable_bias();
  const std::string expected =
      "==================\n"
      "WARNING: BigFoot: data race " +
      pid() + "  Write of size 4 at " + address.str() +
      " by main thread (mutexes: write M0):\n"
      "    #0 bump(int*) /src/a.cpp:9:49 " +
      p.in_module(bump) +
      "\n"
      "    #1 main /src/a.cpp:16:39 " +
      p.in_module(main_call) +
      "\n"
      "\n"
      "  Previous read of size 2 at " +
      address.str() +
      " by thread T1 (mutexes: read M1):\n"
      "    #0 bump(int*) /src/a.cpp:9:49 " +
      p.in_module(bump) +
      "\n"
      "    #1 worker() /src/a.cpp:14:3 " +
      p.in_module(worker) +
      "\n"
      "    #2 start() /src/run.h:7:1 " +
      p.in_module(worker) +
      "\n"
      "\n"
      "  Both accesses hold locks, but no lock in common (M0 / M1): either one, held at both, "
      "would "
      "order them.\n"
      "\n"
      "  Location is global 'counter' of size 4 at " +
      address.str() + " (" + executable_name() + "+" + offset.str() +
      ")\n"
      "\n"
      "  Mutex M0 (0x5000) created at:\n"
      "    #0 init() /src/a.cpp:2 " +
      p.in_module(init) +
      "\n"
      "\n"
      "  Mutex M0 (0x5000) locked by main thread at:\n"
      "    #0 lock_a() /src/a.cpp:20:1 " +
      p.in_module(lock_a) +
      "\n"
      "\n"
      "  Mutex M1 (0x6000) locked by thread T1 at:\n"
      "    #0 lock_b() /src/a.cpp:21:1 " +
      p.in_module(lock_b) +
      "\n"
      "\n"
      "  Thread T1 'worker a' (tid=1001, finished) created by main thread at:\n"
      "    #0 main /src/a.cpp:16:39 " +
      p.in_module(main_call) +
      "\n"
      "\n"
      "SUMMARY: BigFoot: data race /src/a.cpp:9:49 in bump(int*)\n"
      "==================\n";
  EXPECT_EQ(without_fingerprint(p.log()), expected);
}

TEST(ReportText, AHeapBlockAndTheMainThreadIsNotIntroduced) {
  Program p;
  const Pc use = p.code({"use", "/src/h.c", 3, 1});
  const Pc make = p.code({"make", "/src/h.c", 8, 2});
  const uptr block = p.block(0x700000001000, 40, p.at({make}));
  const ThreadId t2 = p.thread(2);
  p.reporter().race_found(race(access(kRead, block + 8, 8, t2, p.at({use})),
                               access(kWrite, block + 8, 8, kMainThread, p.at({make}))));
  const std::string log = p.log();
  EXPECT_TRUE(contains(log,
                       "  Location is heap block of size 40 at 0x700000001000 allocated by main "
                       "thread:\n    #0 make /src/h.c:8:2 "));
  EXPECT_TRUE(contains(log, "  Read of size 8 at 0x700000001008 by thread T2:\n"));
  EXPECT_TRUE(contains(log, "  Thread T2 (tid=1002, running) created by main thread\n\n"));
  EXPECT_FALSE(contains(log, "Thread T0"));
}

TEST(ReportText, Kinds) {
  struct {
    AccessKind current, previous;
    const char* first;
    const char* second;
    const char* title;
  } cases[] = {
      {AccessKind::kAtomicWrite, kRead, "  Atomic write of size 4", "  Previous read of size 4",
       ": data race (pid"},
      {kWrite, AccessKind::kAtomicRead, "  Write of size 4", "  Previous atomic read of size 4",
       ": data race (pid"},
      {AccessKind::kAtomicRead, kWrite, "  Atomic read of size 4", "  Previous write of size 4",
       ": data race (pid"},
      {kRead, AccessKind::kAtomicWrite, "  Read of size 4", "  Previous atomic write of size 4",
       ": data race (pid"},
      {AccessKind::kFree, kRead, "  Write of size 4", "  Previous read of size 4",
       ": heap-use-after-free (race) (pid"},
      {kRead, AccessKind::kFree, "  Read of size 4", "  Previous write of size 4",
       ": heap-use-after-free (race) (pid"},
  };
  for (const auto& c : cases) {
    Program p;
    const Origin here = p.at({p.code({"f", "/f.c", 1, 1})});
    p.reporter().race_found(race(access(c.current, 0x1000, 4, kMainThread, here),
                                 access(c.previous, 0x1000, 4, p.thread(1), here)));
    EXPECT_TRUE(contains(p.log(), c.first)) << p.log();
    EXPECT_TRUE(contains(p.log(), c.second)) << p.log();
    EXPECT_TRUE(contains(p.log(), c.title)) << p.log();
  }
}

TEST(ReportText, AVptrRaceAndAFreedBlock) {
  Program p;
  const Origin here = p.at({p.code({"A::~A()", "/f.cpp", 1, 1})});
  Race vptr = race(access(kWrite, 0x1000, 8, kMainThread, here),
                   access(kRead, 0x1000, 8, p.thread(1), here));
  vptr.current.vptr = true;
  p.reporter().race_found(vptr);
  EXPECT_TRUE(contains(p.log(),
                       "WARNING: BigFoot: data race on vptr (ctor/dtor vs virtual call) " + pid()));

  const uptr block = p.block(0x700000002000, 16, here, kMainThread, true);
  p.reporter().race_found(race(access(kWrite, block, 8, kMainThread, here),
                               access(kRead, block, 8, p.thread(1), here)));
  EXPECT_TRUE(contains(p.log(), "WARNING: BigFoot: heap-use-after-free (race) " + pid()));
  EXPECT_TRUE(contains(p.log(), "  Location is freed heap block of size 16 at 0x700000002000"));
}

TEST(ReportText, StackAndTlsOfAThread) {
  Program p;
  const Origin here = p.at({p.code({"f", "/f.c", 1, 1})});
  p.facts.objects.push_back({ObjectKind::kStack, {0x10000, 0x1000}, kMainThread, kNoOrigin, false});
  p.facts.objects.push_back({ObjectKind::kTls, {0x20000, 0x1000}, p.thread(3), kNoOrigin, false});
  for (uptr address : {0x10010, 0x20010})
    p.reporter().race_found(race(access(kWrite, address, 1, kMainThread, here),
                                 access(kWrite, address, 1, p.thread(1), here)));
  EXPECT_TRUE(contains(p.log(), "  Location is stack of main thread.\n\n"));
  EXPECT_TRUE(contains(p.log(), "  Location is TLS of thread T3.\n\n"));
}

TEST(ReportText, FramesOfTheRunTimeAndOfTheStartAreCutOff) {
  Program p;
  const Pc rt = p.code({"bigfoot::rt::access_range(Thread&)", "/rt.cpp", 5, 1});
  const Pc entry = p.code({"__bf_write4", "", 0, 0});
  const Pc user = p.code({"user", "/u.c", 2, 1});
  const Pc main_call = p.code({"main", "/u.c", 9, 1});
  const Pc libc = p.code({"__libc_start_call_main", "libc_start.h", 58, 16});
  const Pc start = p.code({"_start", "", 0, 0});
  const Origin a = p.at({rt, entry, user, main_call, libc, start});
  // `user` calls itself: only the ends are cut, nothing in between.
  const Origin b =
      p.at({user, rt, user, p.code({"start_thread", "", 0, 0}), p.code({"clone3", "", 0, 0})});
  p.reporter().race_found(
      race(access(kWrite, 0x1000, 4, kMainThread, a), access(kWrite, 0x1000, 4, p.thread(1), b)));
  const std::string log = p.log();
  EXPECT_TRUE(contains(log, "by main thread:\n    #0 user /u.c:2:1 " + p.in_module(user) +
                                "\n    #1 main /u.c:9:1 " + p.in_module(main_call) + "\n\n"))
      << log;
  EXPECT_TRUE(contains(log, "by thread T1:\n    #0 user /u.c:2:1 " + p.in_module(user) +
                                "\n    #1 bigfoot::rt::access_range(Thread&) /rt.cpp:5:1 " +
                                p.in_module(rt) + "\n    #2 user /u.c:2:1 " + p.in_module(user) +
                                "\n\n"))
      << log;
}

TEST(ReportText, WhichFunctionsAreTheRunTimes) {
  struct {
    const char* function;
    bool ours;
  } cases[] = {
      {"bigfoot::rt::f()", true},
      {"void* bigfoot::rt::intercept::(anonymous namespace)::start_thread<void*>(void*)", true},
      {"unsigned long bigfoot::rt::g<int>(int)", true},
      {"__bf_write4", true},
      {"user(bigfoot::rt::Thread&)", false},
      {"void user<bigfoot::rt::Thread>(int)", false},
      {"operator new(unsigned long)", false},
      {"my::bigfoot::rt::f()", false},
  };
  for (const auto& c : cases) {
    Program p;
    const Origin a =
        p.at({p.code({"user_code", "/u.c", 1, 1}), p.code({c.function, "/x.cpp", 2, 1})});
    p.reporter().race_found(
        race(access(kWrite, 0x1000, 4, kMainThread, a), access(kWrite, 0x1000, 4, p.thread(1), a)));
    EXPECT_EQ(contains(p.log(), c.function), !c.ours) << p.log();
  }
}

TEST(ReportText, AStackOfNothingButTheRunTimeIsKept) {
  Program p;
  const Origin a = p.at({p.code({"bigfoot::rt::f()", "/rt.cpp", 5, 1})});
  p.reporter().race_found(
      race(access(kWrite, 0x1000, 4, kMainThread, a), access(kWrite, 0x1000, 4, p.thread(1), a)));
  EXPECT_TRUE(contains(p.log(), "    #0 bigfoot::rt::f() /rt.cpp:5:1 "));
}

TEST(ReportText, WithoutNamesModuleAndOffsetAreShown) {
  Program p;
  const Pc somewhere = p.nameless_code();
  const Pc nowhere = 0x1234;  // in no file
  const Origin a = p.at({somewhere, nowhere});
  p.reporter().race_found(race(access(kWrite, 0x1000, 4, kMainThread, a),
                               access(kWrite, 0x1000, 4, kNoThread, kNoOrigin)));
  const std::string log = p.log();
  EXPECT_TRUE(contains(
      log, "    #0 <null> <null> " + p.in_module(somewhere) + "\n    #1 <null> <null> (0x1233)\n"));
  EXPECT_TRUE(contains(log, "by unknown thread:\n    [the stack is not known]\n"));
  std::ostringstream offset;
  offset << std::hex << "0x" << somewhere - 1 - executable_bias();
  EXPECT_TRUE(contains(log, "SUMMARY: BigFoot: data race (" +
                                std::filesystem::read_symlink("/proc/self/exe").string() + "+" +
                                offset.str() + ")\n"));
}

TEST(ReportText, AStackThatWasTooDeepSaysSo) {
  Program p;
  const Origin a = p.at({p.code({"deep", "/d.c", 1, 1})});
  p.facts.origins[raw(a)].truncated = true;
  p.reporter().race_found(
      race(access(kWrite, 0x1000, 4, kMainThread, a), access(kWrite, 0x1000, 4, p.thread(1), a)));
  EXPECT_TRUE(contains(p.log(), "    [outer frames were not kept]\n"));
}

// Of functions at one address it is the one that the others were inlined into.
TEST(ReportText, AFunctionThatCallsItselfSaysSo) {
  Program p;
  const Pc walk = p.code({{"visit", "/t.c", 3, 1}, {"walk", "/t.c", 9, 2}});
  const Pc caller = p.code({"start", "/t.c", 20, 4});
  const Origin a = p.at({walk, kOwnCalls, caller});
  p.reporter().race_found(
      race(access(kWrite, 0x1000, 4, kMainThread, a), access(kWrite, 0x1000, 4, p.thread(1), a)));
  EXPECT_TRUE(contains(p.log(), "    #0 visit /t.c:3:1 " + p.in_module(walk) +
                                    "\n    #1 walk /t.c:9:2 " + p.in_module(walk) +
                                    " (recursive: further calls of this function are not kept)"
                                    "\n    #2 start /t.c:20:4 " +
                                    p.in_module(caller) + "\n"));
}

TEST(ReportText, TheSummaryNamesTheUsersCodeNotTheLibrarys) {
  Program p;
  const Pc push = p.code(
      {{"std::vector<int>::push_back(int)", "/usr/include/c++/12/bits/stl_vector.h", 1287, 3},
       {"add(int)", "/src/list.cpp", 30, 7}});
  const Origin a = p.at({push});
  p.reporter().race_found(
      race(access(kWrite, 0x1000, 4, kMainThread, a), access(kWrite, 0x1000, 4, p.thread(1), a)));
  EXPECT_TRUE(contains(p.log(), "SUMMARY: BigFoot: data race /src/list.cpp:30:7 in add(int)\n"));
}

TEST(ReportText, LocksHeldForReadingOnlyDoNotOrder) {
  Program p;
  const Origin taken = p.at({p.code({"lock", "/l.c", 1, 1})});
  const Origin a = p.at({p.code({"f", "/f.c", 1, 1})}, {{0x5000, taken, true}});
  const Origin b = p.at({p.code({"g", "/f.c", 2, 1})}, {{0x5000, taken, true}});
  p.reporter().race_found(
      race(access(kWrite, 0x1000, 4, kMainThread, a), access(kWrite, 0x1000, 4, p.thread(1), b)));
  EXPECT_TRUE(contains(
      p.log(),
      "  Both accesses hold the same lock for reading only, which does not order them.\n"));
}

TEST(ReportText, NothingIsSaidOfLocksWhenOneSideHoldsNoneOrNotAllAreKnown) {
  Program p;
  const Origin taken = p.at({p.code({"lock", "/l.c", 1, 1})});
  const Origin none = p.at({p.code({"f", "/f.c", 1, 1})});
  const Origin one = p.at({p.code({"g", "/f.c", 2, 1})}, {{0x5000, taken, false}});
  const Origin unknown = p.at({p.code({"h", "/f.c", 3, 1})}, {{0, taken, false}});
  const ThreadId t1 = p.thread(1);
  p.reporter().race_found(
      race(access(kWrite, 0x1000, 4, kMainThread, one), access(kWrite, 0x1000, 4, t1, none)));
  p.reporter().race_found(
      race(access(kWrite, 0x1000, 4, kMainThread, one), access(kWrite, 0x1000, 4, t1, unknown)));
  // One side holds the common lock for writing: then it did order them, as far as locks go.
  const Origin reading = p.at({p.code({"i", "/f.c", 4, 1})}, {{0x5000, taken, true}});
  p.reporter().race_found(
      race(access(kWrite, 0x1000, 4, kMainThread, one), access(kWrite, 0x1000, 4, t1, reading)));
  EXPECT_EQ(p.reporter().counts().reported, 3u);
  EXPECT_FALSE(contains(p.log(), "Both accesses"));
  EXPECT_TRUE(contains(p.log(), "  Mutex M1 (one of many) locked by thread T1 at:\n"));
}

TEST(ReportText, TwoHundredLocksAreCountedThoughNotAllShown) {
  Program p;
  const Origin taken = p.at({p.code({"lock", "/l.c", 1, 1})});
  std::vector<HeldLock> held;
  for (uptr i = 0; i < 200; ++i) held.push_back({0x5000 + 64 * i, taken, false});
  const Origin a = p.at({p.code({"f", "/f.c", 1, 1})}, held);
  p.reporter().race_found(
      race(access(kWrite, 0x1000, 4, kMainThread, a), access(kWrite, 0x1000, 4, p.thread(1), a)));
  EXPECT_TRUE(contains(p.log(), "write M62, write M63, and 136 more):\n"));
}

TEST(ReportText, FullThreadHistoryGoesUpToTheMainThread) {
  for (bool full : {false, true}) {
    Program p;
    p.options.print_full_thread_history = full;
    const Origin made = p.at({p.code({"spawn", "/s.c", 1, 1})});
    p.thread(1, "", kMainThread, made);
    p.thread(2, "", ThreadId{1}, made);
    const ThreadId t3 = p.thread(3, "", ThreadId{2}, made);
    const Origin a = p.at({p.code({"f", "/f.c", 1, 1})});
    p.reporter().race_found(
        race(access(kWrite, 0x1000, 4, kMainThread, a), access(kWrite, 0x1000, 4, t3, a)));
    EXPECT_TRUE(contains(p.log(), "  Thread T3 (tid=1003, running) created by thread T2 at:\n"));
    EXPECT_EQ(contains(p.log(), "  Thread T2 (tid=1002, running) created by thread T1 at:\n"),
              full);
    EXPECT_EQ(contains(p.log(), "  Thread T1 (tid=1001, running) created by main thread at:\n"),
              full);
  }
}

TEST(ReportText, OptionsOfTheText) {
  Program p;
  p.options.print_summary = false;
  p.options.strip_path_prefix = "/src/";
  const Origin a = p.at({p.code({"f", "/src/sub/f.c", 1, 1})});
  p.reporter().race_found(
      race(access(kWrite, 0x1000, 4, kMainThread, a), access(kWrite, 0x1000, 4, p.thread(1), a)));
  EXPECT_TRUE(contains(p.log(), "    #0 f sub/f.c:1:1 "));
  EXPECT_FALSE(contains(p.log(), "SUMMARY"));
}

TEST(ReportText, ColourOnlyWhenAskedFor) {
  for (const char* wish : {"auto", "never", "always"}) {
    Program p;
    p.options.color = wish;
    const Origin a = p.at({p.code({"f", "/f.c", 1, 1})});
    p.reporter().race_found(
        race(access(kWrite, 0x1000, 4, kMainThread, a), access(kWrite, 0x1000, 4, p.thread(1), a)));
    EXPECT_EQ(contains(p.log(), "\033["), std::string(wish) == "always");  // a file is no terminal
  }
}

TEST(ReportText, NoNameCanFakeALine) {
  Program p;
  const std::string evil = "f()\n==================\nSUMMARY: BigFoot: nothing\r\x1b[2J\x7f";
  const Origin a = p.at({p.code({evil, "/dir\n/x.c", 1, 1})});
  const uptr variable = p.variable("v\nx", 4);
  p.reporter().race_found(race(access(kWrite, variable, 4, kMainThread, a),
                               access(kWrite, variable, 4, p.thread(1, "n\nm"), a)));
  const std::string log = p.log();
  EXPECT_TRUE(contains(
      log, "    #0 f()?==================?SUMMARY: BigFoot: nothing??[2J? /dir?/x.c:1:1 "));
  EXPECT_TRUE(contains(log, "'v?x'"));
  EXPECT_TRUE(contains(log, "Thread T1 'n?m'"));
}

TEST(ReportText, VeryLongNamesAreShortenedInText) {
  Program p;
  const Origin a = p.at({p.code({std::string(100000, 'x'), "/f.c", 1, 1})});
  p.reporter().race_found(
      race(access(kWrite, 0x1000, 4, kMainThread, a), access(kWrite, 0x1000, 4, p.thread(1), a)));
  EXPECT_TRUE(contains(p.log(), "#0 " + std::string(4096, 'x') + "... /f.c:1:1"));
}

TEST(ReportText, AFindingHasItsStackItsMutexAndItsThread) {
  Program p;
  const Pc destroy = p.code({"destroy", "/m.c", 5, 3});
  const Pc init = p.code({"init", "/m.c", 1, 3});
  p.facts.mutexes[0x9000] = p.at({init});
  p.facts.objects.push_back({ObjectKind::kStack, {0x9000, 64}, kMainThread, kNoOrigin, false});
  EXPECT_TRUE(
      p.reporter().finding({"destroy of a locked mutex", 0x9000, p.at({destroy}), kMainThread}));
  EXPECT_EQ(without_fingerprint(p.log()),
            "==================\n"
            "WARNING: BigFoot: destroy of a locked mutex " +
                pid() + "    #0 destroy /m.c:5:3 " + p.in_module(destroy) +
                "\n"
                "\n"
                "  Location is stack of main thread.\n"
                "\n"
                "  Mutex M0 (0x9000) created at:\n"
                "    #0 init /m.c:1:3 " +
                p.in_module(init) +
                "\n"
                "\n"
                "SUMMARY: BigFoot: destroy of a locked mutex /m.c:5:3 in destroy\n"
                "==================\n");
}

TEST(ReportText, AThreadLeakIsNamedByItsCreation) {
  Program p;
  const Pc create = p.code({"main", "/t.c", 22, 16});
  const ThreadId t3 = p.thread(3, "", kMainThread, p.at({create}), ThreadState::kFinished);
  EXPECT_TRUE(p.reporter().finding({"thread leak", 0, kNoOrigin, t3}));
  EXPECT_EQ(without_fingerprint(p.log()),
            "==================\n"
            "WARNING: BigFoot: thread leak " +
                pid() +
                "  Thread T3 (tid=1003, finished) created by main thread at:\n"
                "    #0 main /t.c:22:16 " +
                p.in_module(create) +
                "\n"
                "\n"
                "SUMMARY: BigFoot: thread leak /t.c:22:16 in main\n"
                "==================\n");
}

TEST(ReportText, TheClosingLineCountsAndSetsTheExitCode) {
  Program p;
  EXPECT_EQ(p.reporter().finish(3), 3);
  EXPECT_EQ(p.log(), "");
  const Origin a = p.at({p.code({"f", "/f.c", 1, 1})});
  p.reporter().race_found(
      race(access(kWrite, 0x1000, 4, kMainThread, a), access(kWrite, 0x1000, 4, p.thread(1), a)));
  EXPECT_EQ(p.reporter().finish(3), 66);
  EXPECT_TRUE(p.log().ends_with("==================\nBigFoot: reported 1 warnings\n"));
}

}  // namespace
}  // namespace bigfoot::rt::report::testing
