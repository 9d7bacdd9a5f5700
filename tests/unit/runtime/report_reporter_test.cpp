// Judging: what counts as seen, from many threads, from signal handlers, across fork; limits;
// hooks.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <barrier>
#include <mutex>
#include <nlohmann/json.hpp>
#include <semaphore>
#include <thread>

#include "report_fixture.h"

namespace {
// What the program's hooks do in the running test.
std::function<void(const char*)> on_json;
std::function<void(void*)> on_report;
std::function<bool(bool)> veto;
}  // namespace

extern "C" {
void __bf_on_report(const char* json) {
  if (on_json) on_json(json);
}
void __tsan_on_report(void* report) {
  if (on_report) on_report(report);
}
void* __tsan_get_current_report();
int __tsan_get_report_data(void*, const char**, int*, int*, int*, int*, int*, int*, int*, void**,
                           unsigned long);
int __tsan_get_report_stack(void*, unsigned long, void**, unsigned long);
int __tsan_get_report_mop(void*, unsigned long, int*, void**, int*, int*, int*, void**,
                          unsigned long);
int __tsan_get_report_loc(void*, unsigned long, const char**, void**, unsigned long*,
                          unsigned long*, int*, int*, int*, void**, unsigned long);
int __tsan_get_report_mutex(void*, unsigned long, unsigned long*, void**, int*, void**,
                            unsigned long);
int __tsan_get_report_thread(void*, unsigned long, int*, unsigned long*, int*, const char**, int*,
                             void**, unsigned long);
int __tsan_get_report_unique_tid(void*, unsigned long, int*);
int __tsan_get_report_tag(void*, unsigned long*);
}

namespace __tsan {
class ReportDesc;
bool OnReport(const ReportDesc*, bool suppressed);
bool OnReport(const ReportDesc*, bool suppressed) {
  return veto ? veto(suppressed) : suppressed;
}
}  // namespace __tsan

namespace bigfoot::rt::report::testing {
namespace {

constexpr auto kWrite = AccessKind::kWrite;
constexpr auto kRead = AccessKind::kRead;

class ReporterTest : public ::testing::Test {
 protected:
  void TearDown() override {
    on_json = nullptr;
    on_report = nullptr;
    veto = nullptr;
  }

  Race simple(u32 line, uptr address = 0x1000) {
    const Origin here = p.at({p.code({"f", "/f.c", line, 1})});
    return race(access(kWrite, address, 4, kMainThread, here),
                access(kWrite, address, 4, p.thread(1), here));
  }
  usize printed() {
    const std::string log = p.log();
    usize n = 0;
    for (usize at = 0; (at = log.find("WARNING: BigFoot", at)) != std::string::npos; ++at) ++n;
    return n;
  }

  Program p;
};

TEST_F(ReporterTest, TheSameRaceIsPrintedOnceAndCounted) {
  const Race r = simple(1);
  EXPECT_TRUE(p.reporter().race_found(r));
  for (int i = 0; i < 99; ++i) EXPECT_FALSE(p.reporter().race_found(r));
  std::swap(const_cast<Race&>(r).current, const_cast<Race&>(r).previous);
  EXPECT_FALSE(p.reporter().race_found(r));
  EXPECT_EQ(printed(), 1u);
  EXPECT_EQ(p.reporter().counts().duplicates, 100u);
}

TEST_F(ReporterTest, ADuplicateAsksTheSymbolizerNothing) {
  const Race r = simple(1);
  p.reporter().race_found(r);
  const int questions = p.symbolizer.questions;
  p.reporter().race_found(r);
  EXPECT_EQ(p.symbolizer.questions, questions);
}

TEST(SeenRaces, TheKeyForgetsTheOrderAndNothingElse) {
  const Race r = {{.kind = kWrite, .size = 4}, {.kind = kRead, .size = 8}, {}};
  const Race swapped = {r.previous, r.current, {}};
  const u64 key = race_key(r, 1, 2, 3);
  EXPECT_EQ(race_key(swapped, 2, 1, 3), key);
  EXPECT_NE(race_key(r, 2, 1, 3), key) << "the places belong to their accesses";
  EXPECT_NE(race_key(r, 1, 2, 4), key);
  EXPECT_NE(race_key(r, 1, 1, 3), key);
  Race other = r;
  other.current.size = 8;
  EXPECT_NE(race_key(other, 1, 2, 3), key);
  other = r;
  other.previous.kind = kWrite;
  EXPECT_NE(race_key(other, 1, 2, 3), key);
}

TEST(SeenRaces, AnEntryThatWasOverwrittenIsForgottenNotConfused) {
  SeenCache cache;
  cache.initialise();
  const u64 key = 0x8123456789abcd00, same_slot = key ^ (u64{1} << 40);
  Verdict verdict = Verdict::kPrinted;
  EXPECT_FALSE(cache.find(key, verdict));
  cache.put(key, suppressed_by(7));
  ASSERT_TRUE(cache.find(key, verdict));
  EXPECT_TRUE(is_suppressed(verdict));
  EXPECT_EQ(suppression_of(verdict), 7u);
  EXPECT_FALSE(cache.find(same_slot, verdict));
  cache.put(same_slot, Verdict::kPrinted);
  EXPECT_FALSE(cache.find(key, verdict));
  ASSERT_TRUE(cache.find(same_slot, verdict));
  EXPECT_FALSE(is_suppressed(verdict));
}

TEST_F(ReporterTest, TheSamePlacesInAnotherCallingContextAreTheSameRace) {
  const Pc here = p.code({"f", "/f.c", 1, 1});
  const Origin other = p.at({p.code({"g", "/g.c", 1, 1})});
  for (u32 i = 0; i < 5; ++i) {
    const Origin context = p.at({here, p.code({"caller", "/c.c", i, 1})});
    EXPECT_EQ(p.reporter().race_found(race(access(kWrite, 0x1000, 4, kMainThread, context),
                                           access(kWrite, 0x1000, 4, p.thread(1), other))),
              i == 0);
  }
  EXPECT_EQ(p.reporter().counts().duplicates, 4u);
}

TEST_F(ReporterTest, TheSameSourceLineAtTwoAddressesIsTheSameRace) {
  EXPECT_TRUE(p.reporter().race_found(simple(7)));
  EXPECT_FALSE(p.reporter().race_found(simple(7)));  // another copy of the inlined function
  EXPECT_TRUE(p.reporter().race_found(simple(8)));
}

TEST_F(ReporterTest, OneHelperFunctionOnTwoVariablesIsTwoRaces) {
  const Origin bump = p.at({p.code({"bump(int*)", "/b.c", 1, 1})});
  const ThreadId t = p.thread(1);
  for (const char* name : {"first", "second"}) {
    const uptr v = p.variable(name, 4);
    EXPECT_TRUE(p.reporter().race_found(
        race(access(kWrite, v, 4, kMainThread, bump), access(kWrite, v, 4, t, bump))));
  }
}

TEST_F(ReporterTest, EveryElementOfAnArrayIsTheSameRace) {
  const Origin bump = p.at({p.code({"bump(int*)", "/b.c", 1, 1})});
  const ThreadId t = p.thread(1);
  const uptr array = p.variable("array", 4000);
  for (uptr v = array; v < array + 4000; v += 4)
    p.reporter().race_found(
        race(access(kWrite, v, 4, kMainThread, bump), access(kWrite, v, 4, t, bump)));
  EXPECT_EQ(p.reporter().counts().reported, 1u);
  EXPECT_EQ(p.reporter().counts().duplicates, 999u);
  EXPECT_EQ(p.symbolizer.questions, 2) << "one for the code, one for the variable";
}

TEST_F(ReporterTest, DifferentKindsAndSizesAreDifferentRaces) {
  const Origin a = p.at({p.code({"f", "/f.c", 1, 1})});
  const ThreadId t = p.thread(1);
  EXPECT_TRUE(p.reporter().race_found(
      race(access(kWrite, 0x1000, 4, kMainThread, a), access(kRead, 0x1000, 4, t, a))));
  EXPECT_TRUE(p.reporter().race_found(
      race(access(kWrite, 0x1000, 4, kMainThread, a), access(kWrite, 0x1000, 4, t, a))));
  EXPECT_TRUE(p.reporter().race_found(
      race(access(kWrite, 0x1000, 8, kMainThread, a), access(kWrite, 0x1000, 4, t, a))));
}

TEST_F(ReporterTest, EqualRacesAreAllPrintedOnRequest) {
  p.options.suppress_equal_stacks = false;
  const Race r = simple(1);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(p.reporter().race_found(r));
  EXPECT_EQ(printed(), 3u);
}

TEST_F(ReporterTest, TenThousandDistinctRaces) {
  constexpr u32 kRaces = 10'000;
  for (u32 i = 1; i <= kRaces; ++i) ASSERT_TRUE(p.reporter().race_found(simple(i))) << i;
  EXPECT_EQ(p.reporter().counts().reported, kRaces);
  EXPECT_EQ(printed(), kRaces);
  EXPECT_EQ(p.json_lines().size(), kRaces);
}

TEST_F(ReporterTest, MaxReportsLimitsWhatIsPrintedAndCountsTheRest) {
  p.options.max_reports = 2;
  for (u32 i = 1; i <= 5; ++i) p.reporter().race_found(simple(i));
  p.reporter().finish(0);
  EXPECT_EQ(printed(), 2u);
  EXPECT_EQ(p.reporter().counts().dropped, 3u);
  EXPECT_TRUE(p.log().ends_with(
      "BigFoot: reported 2 warnings\nBigFoot: 3 more were found and not printed\n"));
}

TEST_F(ReporterTest, OptionsThatTurnReportsOff) {
  p.options.report_bugs = false;
  EXPECT_FALSE(p.reporter().race_found(simple(1)));
  EXPECT_FALSE(p.reporter().finding({"thread leak", 0, kNoOrigin, p.thread(1)}));
  p.options.report_bugs = true;
  p.options.report_thread_leaks = false;
  EXPECT_FALSE(p.reporter().finding({"thread leak", 0, kNoOrigin, p.thread(1)}));
  p.options.report_destroy_locked = false;
  const Origin here = p.at({p.code({"f", "/f.c", 1, 1})});
  EXPECT_FALSE(p.reporter().finding({"destroy of a locked mutex", 0x10, here, kMainThread}));
  p.options.report_mutex_bugs = false;
  EXPECT_FALSE(p.reporter().finding({"double lock of a mutex", 0x10, here, kMainThread}));
  p.options.report_atomic_races = false;
  EXPECT_FALSE(
      p.reporter().race_found(race(access(AccessKind::kAtomicWrite, 0x1000, 4, kMainThread, here),
                                   access(kRead, 0x1000, 4, p.thread(1), here))));
  EXPECT_EQ(p.reporter().counts().reported, 0u);
  EXPECT_TRUE(p.reporter().race_found(simple(2)));
}

TEST_F(ReporterTest, ExitCodes) {
  p.reporter().race_found(simple(1));
  EXPECT_EQ(p.reporter().finish(0), 66);
  EXPECT_EQ(p.reporter().finish(1), 66);
  p.options.exitcode = 5;
  EXPECT_EQ(p.reporter().finish(0), 5);
  p.options.exitcode = 0;
  EXPECT_EQ(p.reporter().finish(3), 3);
}

TEST_F(ReporterTest, HaltOnErrorEndsTheProcessAtTheFirstReport) {
  p.options.halt_on_error = true;
  p.options.log_path = "stderr";
  p.reporter();
  EXPECT_EXIT(p.reporter().race_found(simple(1)), ::testing::ExitedWithCode(66),
              "WARNING: BigFoot: data race(.|\n)*BigFoot: reported 1 warnings\n$");
  p.options.abort_on_error = true;
  EXPECT_EXIT(p.reporter().race_found(simple(2)), ::testing::KilledBySignal(SIGABRT), "data race");
}

TEST_F(ReporterTest, AMissingFolderForTheLogEndsTheProcessWith64) {
  p.options.log_path = "/no/such/folder/log";
  EXPECT_EXIT(p.reporter(), ::testing::ExitedWithCode(64),
              "^bigfoot: log_path: cannot write to '/no/such/folder/log.[0-9]+': the folder "
              "'/no/such/folder/' does not exist\n$");
  p.options.log_path = "stderr";
  p.options.json_path = "/no/such/folder/x.json";
  EXPECT_EXIT(p.reporter(), ::testing::ExitedWithCode(64),
              "^bigfoot: json_path: cannot write to '/no/such/folder/x.json'");
}

TEST_F(ReporterTest, TextThatCannotBeLoggedGoesToStderr) {
  const std::string target = p.path("log." + std::to_string(getpid()));
  ASSERT_EQ(symlink("/dev/full", target.c_str()), 0);
  ::testing::internal::CaptureStderr();
  p.reporter().race_found(simple(1));
  p.reporter().race_found(simple(2));
  const std::string err = ::testing::internal::GetCapturedStderr();
  EXPECT_TRUE(err.starts_with("bigfoot: cannot write to '" + target +
                              "': no space left on device; reports go to stderr\n====="))
      << err;
  EXPECT_NE(err.find("/f.c:1:1"), std::string::npos);
  EXPECT_NE(err.find("/f.c:2:1"), std::string::npos);
  EXPECT_EQ(err.find("cannot write", 10), std::string::npos) << "said twice";
}

TEST_F(ReporterTest, NamesOfLogFiles) {
  const std::string pid = std::to_string(getpid());
  p.options.log_exe_name = true;
  p.options.log_suffix = ".txt";
  p.options.json_path = "";
  p.options.json = true;
  p.reporter().race_found(simple(1));
  EXPECT_NE(read_whole(p.path("log." + executable_name() + "." + pid + ".txt")), "");
  EXPECT_NE(read_whole(p.path("log." + executable_name() + "." + pid + ".json")), "");
  const std::string pattern = p.path("x-%p-%p.json");
  p.options.json_path = pattern.c_str();
  p.reporter().race_found(simple(2));
  EXPECT_NE(read_whole(p.path("x-" + pid + "-" + pid + ".json")), "");
}

TEST_F(ReporterTest, ManyThreadsAtOnceNeverMixOrLoseReports) {
  constexpr u32 kThreads = 8, kRaces = 300;
  std::vector<Race> races;
  for (u32 i = 0; i < kRaces; ++i) races.push_back(simple(i + 1));
  p.reporter();
  std::barrier start(kThreads);
  std::vector<std::thread> threads;
  for (u32 t = 0; t < kThreads; ++t)
    threads.emplace_back([&, t] {
      start.arrive_and_wait();
      for (u32 i = 0; i < kRaces; ++i) p.reporter().race_found(races[(i + t * 37) % kRaces]);
    });
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(p.reporter().counts().reported, kRaces);
  EXPECT_EQ(p.reporter().counts().duplicates, (kThreads - 1) * kRaces);
  // Each report stands whole between its rules.
  const std::string log = p.log();
  usize at = 0;
  for (u32 i = 0; i < kRaces; ++i) {
    ASSERT_EQ(log.compare(at, 19, "==================\n"), 0);
    const usize summary = log.find("\nSUMMARY: ", at);
    const usize end = log.find("==================\n", summary);
    ASSERT_NE(end, std::string::npos);
    EXPECT_EQ(log.find("WARNING", log.find("WARNING", at) + 1) < end, false) << "two in one";
    at = end + 19;
  }
  EXPECT_EQ(at, log.size());
  for (const std::string& line : p.json_lines()) EXPECT_TRUE(nlohmann::json::accept(line));
}

Race race_in_handler;
Reporter* reporter_in_handler;
std::atomic<int> handled;

TEST_F(ReporterTest, ASignalHandlerThatRacesDuringAReportWaitsForItsTurn) {
  race_in_handler = simple(2);
  reporter_in_handler = &p.reporter();
  handled = 0;
  struct sigaction action = {}, old = {};
  action.sa_handler = [](int) {
    reporter_in_handler->race_found(race_in_handler);
    ++handled;
  };
  ASSERT_EQ(sigaction(SIGUSR1, &action, &old), 0);
  int handled_while_working = -1;
  p.symbolizer.while_working = [&] {
    raise(SIGUSR1);
    handled_while_working = handled;
  };
  EXPECT_TRUE(p.reporter().race_found(simple(1)));
  sigaction(SIGUSR1, &old, nullptr);
  EXPECT_EQ(handled_while_working, 0);
  EXPECT_EQ(handled, 1);
  EXPECT_EQ(printed(), 2u);
  EXPECT_EQ(p.reporter().counts().dropped, 0u);
}

TEST_F(ReporterTest, TheSignalMaskIsRestored) {
  sigset_t before, after;
  sigemptyset(&before);
  sigaddset(&before, SIGUSR2);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  p.reporter().race_found(simple(1));
  pthread_sigmask(SIG_SETMASK, nullptr, &after);
  EXPECT_EQ(sigismember(&after, SIGUSR2), 1);
  EXPECT_EQ(sigismember(&after, SIGUSR1), 0);
  sigemptyset(&before);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

TEST_F(ReporterTest, ARaceInsideAReportIsCountedAndDoesNotHang) {
  const Race inner = simple(2);
  p.symbolizer.while_working = [&] { EXPECT_FALSE(p.reporter().race_found(inner)); };
  EXPECT_TRUE(p.reporter().race_found(simple(1)));
  EXPECT_EQ(p.reporter().counts().dropped, 1u);
}

TEST_F(ReporterTest, AHookMayWaitForAThreadThatReports) {
  std::mutex program_lock;
  std::binary_semaphore locked(0), in_hook(0);
  const Race first = simple(1), second = simple(2);
  p.reporter();
  const std::thread::id hooked = std::this_thread::get_id();
  on_json = [&](const char*) {
    if (std::this_thread::get_id() != hooked) return;
    in_hook.release();
    std::lock_guard guard(program_lock);  // held by a thread that is about to report
  };
  std::thread other([&] {
    std::lock_guard guard(program_lock);
    locked.release();
    in_hook.acquire();
    EXPECT_TRUE(p.reporter().race_found(second));
  });
  locked.acquire();
  EXPECT_TRUE(p.reporter().race_found(first));
  other.join();
  EXPECT_EQ(printed(), 2u);
}

TEST_F(ReporterTest, TheJsonHookGetsTheRecord) {
  std::string record;
  on_json = [&](const char* json) { record = json; };
  p.reporter().race_found(simple(1));
  ASSERT_EQ(p.json_lines().size(), 1u);
  EXPECT_EQ(record, p.json_lines()[0] + "\n");
}

TEST_F(ReporterTest, TheProgramMayVeto) {
  std::vector<bool> asked;
  veto = [&](bool suppressed) {
    asked.push_back(suppressed);
    return true;
  };
  EXPECT_FALSE(p.reporter().race_found(simple(1)));
  EXPECT_EQ(asked, (std::vector<bool>{false}));
  EXPECT_EQ(printed(), 0u);
  EXPECT_EQ(p.reporter().counts().suppressed, 1u);
  EXPECT_EQ(p.reporter().finish(0), 0);
}

TEST_F(ReporterTest, TheProgramMayWantASuppressedReport) {
  const std::string path = p.write_file("supp", "race:^f$");
  p.options.suppressions = path.c_str();
  bool asked = false;
  veto = [&](bool suppressed) {
    asked = suppressed;
    return false;
  };
  EXPECT_TRUE(p.reporter().race_found(simple(1)));
  EXPECT_TRUE(asked);
}

TEST_F(ReporterTest, TsansQuestionsAboutAReport) {
  const Pc top = p.code({"f", "/f.c", 1, 1}), below = p.code({"main", "/m.c", 1, 1});
  const Pc made = p.code({"make", "/f.c", 2, 1}), spawn = p.code({"spawn", "/f.c", 3, 1});
  const uptr block = p.block(0x700000001000, 40, p.at({made, below}));
  p.facts.mutexes[0x5000] = p.at({made});
  const ThreadId t = p.thread(4, "worker", kMainThread, p.at({spawn}));
  int calls = 0;
  on_report = [&](void* report) {
    ++calls;
    EXPECT_EQ(__tsan_get_current_report(), report);
    const char* text = nullptr;
    int count, stacks, mops, locs, mutexes, threads, tids;
    void* sleep[1] = {report};
    EXPECT_EQ(__tsan_get_report_data(report, &text, &count, &stacks, &mops, &locs, &mutexes,
                                     &threads, &tids, sleep, 1),
              1);
    EXPECT_STREQ(text, "data-race");
    EXPECT_EQ(std::vector({count, stacks, mops, locs, mutexes, threads, tids}),
              (std::vector{1, 0, 2, 1, 1, 2, 2}));
    EXPECT_EQ(sleep[0], nullptr);
    int tid, size, write, atomic, fd, suppressable, destroyed, running, parent;
    void* address;
    void* trace[4] = {};
    EXPECT_EQ(__tsan_get_report_mop(report, 0, &tid, &address, &size, &write, &atomic, trace, 4),
              1);
    EXPECT_EQ(std::vector({tid, size, write, atomic}), (std::vector{0, 8, 1, 1}));
    EXPECT_EQ(address, reinterpret_cast<void*>(block + 8));
    EXPECT_EQ(trace[0], reinterpret_cast<void*>(top));
    EXPECT_EQ(trace[1], reinterpret_cast<void*>(below));
    EXPECT_EQ(trace[2], nullptr);
    void* one[1] = {};
    EXPECT_EQ(__tsan_get_report_mop(report, 1, &tid, &address, &size, &write, &atomic, one, 1), 1);
    EXPECT_EQ(std::vector({tid, size, write, atomic}), (std::vector{4, 4, 0, 0}));
    EXPECT_EQ(__tsan_get_report_mop(report, 2, &tid, &address, &size, &write, &atomic, one, 1), 0);
    unsigned long start, bytes, id, os_id, tag;
    const char* type;
    const char* name;
    EXPECT_EQ(__tsan_get_report_loc(report, 0, &type, &address, &start, &bytes, &tid, &fd,
                                    &suppressable, trace, 4),
              1);
    EXPECT_STREQ(type, "heap");
    EXPECT_EQ(start, block);
    EXPECT_EQ(bytes, 40u);
    EXPECT_EQ(trace[0], reinterpret_cast<void*>(made));
    EXPECT_EQ(__tsan_get_report_loc(report, 1, &type, &address, &start, &bytes, &tid, &fd,
                                    &suppressable, trace, 4),
              0);
    EXPECT_EQ(__tsan_get_report_mutex(report, 0, &id, &address, &destroyed, trace, 4), 1);
    EXPECT_EQ(address, reinterpret_cast<void*>(0x5000));
    EXPECT_EQ(__tsan_get_report_mutex(report, 1, &id, &address, &destroyed, trace, 4), 0);
    EXPECT_EQ(__tsan_get_report_thread(report, 1, &tid, &os_id, &running, &name, &parent, trace, 4),
              1);
    EXPECT_EQ(std::vector({tid, running, parent}), (std::vector{4, 1, 0}));
    EXPECT_EQ(os_id, 1004u);
    EXPECT_STREQ(name, "worker");
    EXPECT_EQ(trace[0], reinterpret_cast<void*>(spawn));
    EXPECT_EQ(__tsan_get_report_unique_tid(report, 1, &tid), 1);
    EXPECT_EQ(tid, 4);
    EXPECT_EQ(__tsan_get_report_tag(report, &tag), 1);
    EXPECT_EQ(__tsan_get_report_stack(report, 0, trace, 4), 0);
  };
  p.reporter().race_found(race(access(AccessKind::kAtomicWrite, block + 8, 8, kMainThread,
                                      p.at({top, below}, {{0x5000, p.at({made}), false}})),
                               access(kRead, block + 8, 4, t, p.at({top}))));
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(__tsan_get_current_report(), nullptr);
}

TEST_F(ReporterTest, TheChildOfAForkReportsForItself) {
  EXPECT_TRUE(p.reporter().race_found(simple(1)));
  const Race again = simple(1), fresh = simple(2);
  p.reporter().before_fork();
  const pid_t child = fork();
  if (child == 0) {
    p.reporter().after_fork_child();
    const bool ok = p.symbolizer.forks == 1 && !p.reporter().race_found(again) &&
                    p.reporter().race_found(fresh) && p.reporter().counts().reported == 1 &&
                    p.reporter().finish(0) == 66;
    _exit(ok ? 0 : 1);
  }
  p.reporter().after_fork_parent();
  EXPECT_EQ(p.symbolizer.forks, 0);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  const std::string childs_log = read_whole(p.path("log." + std::to_string(child)));
  EXPECT_NE(childs_log.find("/f.c:2:1"), std::string::npos);
  EXPECT_TRUE(childs_log.ends_with("BigFoot: reported 1 warnings\n"));
  EXPECT_EQ(printed(), 1u) << "the parent's own log";
  EXPECT_TRUE(p.reporter().race_found(fresh));
}

TEST_F(ReporterTest, AForkWhileAnotherThreadReports) {
  // The other thread is inside the symbolizer, with the lock, when the fork is asked for.
  std::binary_semaphore working(0), go_on(0);
  p.symbolizer.while_working = [&] {
    working.release();
    go_on.acquire();
  };
  const Race r1 = simple(1), r2 = simple(2);
  p.reporter();
  std::thread other([&] { p.reporter().race_found(r1); });
  working.acquire();
  std::thread releaser([&] { go_on.release(); });
  p.reporter().before_fork();  // waits for the report to be finished
  const pid_t child = fork();
  if (child == 0) {
    p.reporter().after_fork_child();
    _exit(p.reporter().race_found(r2) ? 0 : 1);
  }
  p.reporter().after_fork_parent();
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  other.join();
  releaser.join();
}

}  // namespace
}  // namespace bigfoot::rt::report::testing
