// Whole programs, and what the monitor hears of them: the order of an operation and its event,
// whose it is, and that a thread is on one worker at a time.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <condition_variable>
#include <map>
#include <mutex>

#include "frontends/bfj/parser.h"
#include "frontends/bfj/vm/recorder.h"
#include "frontends/bfj/vm/space.h"
#include "frontends/bfj/vm/vm.h"

namespace bigfoot::vm {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

VmResult run_text(std::string_view text, Monitor& monitor, VmOptions options) {
  bfj::ParseResult parsed = bfj::parse(text);
  EXPECT_TRUE(parsed.ok()) << bfj::format(parsed.errors, "input");
  const bfj::CompiledProgram compiled = bfj::compile(parsed.program);
  return run(parsed.program, compiled, options, monitor);
}

constexpr VmOptions kOneWorker{.workers = 1};

// Writes events down in one line, with the word of memory they are about as it is at that moment.
class Log : public Monitor {
 public:
  Verdict access(const Actor& who, const ProgramAccess& a) override {
    add(who, (a.writes ? "write@" : "read@") + number(a.address));
    return Verdict::Fine;
  }
  void acquire(const Actor& who, const ProgramSync& s) override { sync(who, "acquire", s); }
  void release(const Actor& who, const ProgramSync& s) override { sync(who, "release", s); }
  void forked(const Actor& who, std::uint32_t child) override {
    add(who, "fork " + std::to_string(child));
  }
  void joined(const Actor& who, std::uint32_t child) override {
    add(who, "join " + std::to_string(child));
  }
  void ending(const Actor& who) override { add(who, "end"); }
  void resumed(const Actor& who) override { add(who, "resume"); }
  void suspended(const Actor& who) override { add(who, "suspend"); }

  std::vector<std::string> events;

 private:
  // Of a lock: who has it. Of a field: its number.
  void sync(const Actor& who, const std::string& what, const ProgramSync& s) {
    if (s.is_volatile) return add(who, "volatile " + what + "@" + number(s.address));
    const std::uint32_t owner = *reinterpret_cast<const std::uint32_t*>(s.address);
    add(who, what + "@" + (owner == 0 ? "free" : std::to_string(owner - 1)));
  }
  static std::string number(std::uintptr_t address) {
    const auto word = *reinterpret_cast<const std::uint64_t*>(address);
    return std::to_string(Value::from_word(word).number());
  }
  void add(const Actor& who, const std::string& what) {
    const std::string green = who.green == Actor::kNobody ? "-" : std::to_string(who.green);
    events.push_back(green + ": " + what);
  }
};

TEST(Run, AcquiresAreToldAfterAndReleasesAndAccessesBefore) {
  Log log;
  run_text("thread { acq(l); o.f = 3; x = o.f; o.f = 4; rel(l); }", log, kOneWorker);
  EXPECT_THAT(log.events,
              ElementsAre("-: fork 0", "0: resume", "0: acquire@0", "0: write@0", "0: read@3",
                          "0: write@3", "0: release@0", "0: end", "0: suspend"));
}

TEST(Run, AVolatileWriteIsToldBeforeAndAReadAfter) {
  Log log;
  run_text("class C { volatile v; } shared o = new C; thread { o.v = 5; x = o.v; }", log,
           kOneWorker);
  EXPECT_THAT(log.events, ElementsAre("-: fork 0", "0: resume", "0: volatile release@0",
                                      "0: volatile acquire@5", "0: end", "0: suspend"));
}

TEST(Run, AForkIsToldBeforeTheChildRunsAndAJoinAfterItsEnd) {
  Log log;
  run_text(
      "class C { f; run() { this.f = 1; } } shared o = new C;"
      "thread { h = fork o.run(); join(h); }",
      log, kOneWorker);
  EXPECT_THAT(log.events, ElementsAre("-: fork 0", "0: resume", "0: fork 1", "0: suspend",
                                      "1: resume", "1: write@0", "1: end", "1: suspend",
                                      "0: resume", "0: join 1", "0: end", "0: suspend"));
}

// One instruction at a time: the second thread tries the lock while the first one has it.
TEST(Run, ALockThatIsTakenLetsTheOtherWait) {
  Log log;
  VmOptions options = kOneWorker;
  options.quantum = 1;
  run_text("thread { acq(l); o.f = 1; rel(l); } thread { acq(l); o.f = 2; rel(l); }", log, options);
  std::erase_if(log.events, [](const std::string& e) {
    return e.ends_with("resume") || e.ends_with("suspend") || e.ends_with("end");
  });
  EXPECT_THAT(log.events,
              ElementsAre("-: fork 0", "-: fork 1", "0: acquire@0", "0: write@0", "0: release@0",
                          "1: acquire@1", "1: write@1", "1: release@1"));
}

// Every write is a race.
class Forbids : public Monitor {
 public:
  Verdict access(const Actor&, const ProgramAccess& a) override {
    if (a.writes) address = a.address;
    return a.writes ? Verdict::Race : Verdict::Fine;
  }
  std::uintptr_t address = 0;
};

TEST(Run, ARacingAccessDoesNotHappenAndIsAnException) {
  Forbids forbids;
  const VmResult uncaught = run_text("thread { x = 1;\n o.f = 3; y = p.f; }", forbids, kOneWorker);
  ASSERT_THAT(uncaught.faults, ElementsAre(HasSubstr("uncaught data-race exception")));
  EXPECT_THAT(uncaught.faults[0], HasSubstr("2:")) << "the line of the access";

  // Caught in a caller; what the access would have written is not there.
  const VmResult caught = run_text(
      "class C { f; set() { this.f = 3; } } shared o = new C;"
      "thread { c = 0; try { o.set(); } catch { c = 1; }"
      "         x = o.f; if (c != 1 || x != 0) { throw; } }",
      forbids, kOneWorker);
  EXPECT_THAT(caught.faults, IsEmpty());
}

TEST(Run, ErrorsEndTheirThreadOnlyAndNameTheirPlace) {
  Monitor nobody;
  const auto fault = [&](std::string_view text) {
    const VmResult r = run_text(text, nobody, kOneWorker);
    return r.faults.empty() ? std::string("none") : r.faults[0];
  };
  EXPECT_THAT(fault("thread { x = null;\n  y = x.f; }"),
              HasSubstr("thread 0: 2:3: access to null"));
  EXPECT_THAT(fault("thread { a = new_array(2); a[2] = 1; }"),
              HasSubstr("no such field or element"));
  EXPECT_THAT(fault("thread { a = new_array(2); a[1] = 1; }"), "none");
  EXPECT_THAT(fault("thread { rel(l); }"), HasSubstr("not held"));
  EXPECT_THAT(fault("thread { throw; }"), HasSubstr("uncaught exception"));
  EXPECT_THAT(fault("thread { acq(l); } thread { x = null; x = x.f; }"), HasSubstr("thread 1: "));
}

TEST(Run, EndsByDeadlockAndByTheLimitOfInstructions) {
  Monitor nobody;
  VmOptions options = kOneWorker;
  EXPECT_EQ(run_text("thread { acq(a); acq(a); }", nobody, options).ending, Ending::Deadlock);
  EXPECT_EQ(run_text("thread { acq(a); rel(a); acq(a); }", nobody, options).ending,
            Ending::AllThreadsEnded);
  options.max_instructions = 100;
  const VmResult r = run_text("thread { while (true) { x = 1; } }", nobody, options);
  EXPECT_THAT(r.faults, ElementsAre(HasSubstr("out of instructions")));
}

TEST(Run, MemoryThatIsInUseIsNotFoundBesideIt) {
  Monitor nobody;
  constexpr std::string_view kKeepsAll =
      "class N { next; } thread { h = null;"
      " for (i = 0; i < 1000; i = i + 1) { n = new N; n.next = h; h = n; } }";
  constexpr std::string_view kDropsAll =
      "class N { next; } thread { for (i = 0; i < 1000; i = i + 1) { n = new N; } }";
  for (const Collector c :
       {Collector::Semispace, Collector::MarkSweep, Collector::ConcurrentMarkSweep}) {
    VmOptions options = kOneWorker;
    options.collector = c;
    options.heap_bytes = 16384;
    EXPECT_THAT(run_text(kKeepsAll, nobody, options).faults,
                ElementsAre(HasSubstr("out of memory")));
    const VmResult r = run_text(kDropsAll, nobody, options);
    EXPECT_THAT(r.faults, IsEmpty());
    EXPECT_GE(r.collections, 2u);
  }
}

// The consumer looks again and again for what the producer has no memory to make: it is never put
// aside, so this is no deadlock that a scheduler could see, and would never end.
TEST(Run, AFullHeapEndsTheProgramAndNotOnlyItsThread) {
  constexpr std::string_view kSpins = R"(
    class N { next, made; }
    shared q = new N;
    thread {
      h = null;
      for (i = 0; i < 1000; i = i + 1) { n = new N; n.next = h; h = n; }
      acq(q); q.made = 1; rel(q);
    }
    thread {
      made = 0;
      while (made == 0) { acq(q); made = q.made; rel(q); }
    })";
  Monitor nobody;
  for (const Collector c :
       {Collector::Semispace, Collector::MarkSweep, Collector::ConcurrentMarkSweep})
    for (const std::uint32_t workers : {1u, 2u}) {
      // The limit of instructions is for the consumer, should it go on.
      const VmResult r = run_text(
          kSpins, nobody,
          {.collector = c, .workers = workers, .heap_bytes = 16384, .max_instructions = 1'000'000});
      EXPECT_EQ(r.ending, Ending::OutOfMemory);
      EXPECT_THAT(r.faults, ElementsAre(HasSubstr("thread 0: 6:42: out of memory")));
    }
}

TEST(Run, SharedObjectsThatDoNotFitAreAFaultAndNothingRuns) {
  Log log;
  VmOptions options = kOneWorker;
  options.heap_bytes = 16384;
  const VmResult r = run_text("shared a = new_array 5000; thread { x = a[0]; }", log, options);
  EXPECT_EQ(r.ending, Ending::OutOfMemory);
  EXPECT_THAT(r.faults, ElementsAre(HasSubstr("shared objects: out of memory")));
  EXPECT_THAT(log.events, ElementsAre("-: fork 0"));
}

// ---- several workers ----

// A thread is on one worker at a time, a worker runs one thread, and only what it runs acts.
class OneAtATime : public Monitor {
 public:
  Verdict access(const Actor& who, const ProgramAccess&) override {
    std::lock_guard<std::mutex> guard(lock_);
    const auto it = runs_.find(who.worker);
    if (it == runs_.end() || it->second != who.green) ++wrong_;
    return Verdict::Fine;
  }
  void resumed(const Actor& who) override {
    std::lock_guard<std::mutex> guard(lock_);
    for (const auto& [worker, green] : runs_)
      if (green == who.green) ++wrong_;
    if (!runs_.emplace(who.worker, who.green).second) ++wrong_;
  }
  void suspended(const Actor& who) override {
    std::lock_guard<std::mutex> guard(lock_);
    if (runs_.erase(who.worker) != 1) ++wrong_;
  }
  // With the world stopped.
  void freed(const Actor&, std::span<const Memory>) override { ++collections; }

  int wrong() {
    std::lock_guard<std::mutex> guard(lock_);
    return wrong_ + static_cast<int>(runs_.size());
  }
  int collections = 0;

 private:
  std::mutex lock_;
  std::map<std::uint32_t, std::uint32_t> runs_;  // worker -> thread
  int wrong_ = 0;
};

// Lists that each thread builds and sums, and a counter under a lock; wrong sums throw.
constexpr std::string_view kWork = R"(
class Node { next, value, n; }
class Work {
  n;
  run(rounds, counter) {
    for (r = 0; r < rounds; r = r + 1) {
      head = null;
      for (i = 0; i < 10; i = i + 1) {
        node = new Node;
        node.value = i;
        node.next = head;
        head = node;
      }
      sum = 0;
      while (head != null) {
        v = head.value;
        sum = sum + v;
        head = head.next;
      }
      if (sum != 45) { throw; }
      acq(counter);
      old = counter.n;
      counter.n = old + 1;
      rel(counter);
    }
    return;
  }
}
shared c = new Node;
shared w = new Work;
thread {
  a = fork w.run(12, c); b = fork w.run(12, c); w.run(12, c);
  join(a); join(b);
  total = c.n;
  if (total != 36) { throw; }
}
)";

TEST(Run, CollectionsAndMigrationChangeNoResult) {
  for (const Collector c :
       {Collector::Semispace, Collector::MarkSweep, Collector::ConcurrentMarkSweep})
    for (const std::uint32_t workers : {1u, 4u}) {
      OneAtATime monitor;
      const VmResult r = run_text(
          kWork, monitor, {.collector = c, .workers = workers, .collect_every = 1, .quantum = 5});
      EXPECT_THAT(r.faults, IsEmpty());
      EXPECT_EQ(r.ending, Ending::AllThreadsEnded);
      EXPECT_EQ(r.threads, 3u);
      EXPECT_EQ(r.allocations, 360u);
      EXPECT_EQ(monitor.wrong(), 0);
      EXPECT_EQ(static_cast<std::uint64_t>(monitor.collections), r.collections);
      if (workers != 1) continue;
      EXPECT_EQ(r.migrations, 0u);
      // Each allocation stops the world; requests of a concurrent one may fall together.
      if (c != Collector::ConcurrentMarkSweep) EXPECT_EQ(r.collections, r.allocations);
    }
}

// Two workers, three threads, and turns that are held up so that thread 0 has to go on on the other
// worker: its first one is made to wait with thread 2, while the one that has thread 1 goes on.
class ForcesMigration : public Monitor {
 public:
  void resumed(const Actor& who) override {
    std::unique_lock<std::mutex> guard(lock_);
    const int turn = ++turns_[who.green];
    changed_.notify_all();
    if (who.green == 0) workers_of_0.push_back(who.worker);
    if (turn != 1) return;
    const std::uint32_t awaited = (who.green + 1) % 3;  // whose first turn, or 0's second one
    const int its_turn = awaited == 0 ? 2 : 1;
    changed_.wait(guard, [&] { return turns_[awaited] >= its_turn; });
  }
  std::vector<std::uint32_t> workers_of_0;

 private:
  std::mutex lock_;  // guards everything
  std::condition_variable changed_;
  int turns_[3] = {};
};

TEST(Run, AThreadGoesOnOnAnotherWorker) {
  ForcesMigration monitor;
  const VmResult r = run_text(
      "thread { x = 1; y = x + 1; if (y != 2) { throw; } } thread { x = 1; x = 2; }"
      "thread { x = 1; x = 2; }",
      monitor, {.workers = 2, .quantum = 1});
  EXPECT_THAT(r.faults, IsEmpty());
  EXPECT_GE(r.migrations, 1u);
  ASSERT_GE(monitor.workers_of_0.size(), 2u);
  EXPECT_NE(monitor.workers_of_0[0], monitor.workers_of_0[1]);
}

TEST(Run, EveryTurnIsOnAnotherWorkerIfAsked) {
  class LastWorker : public OneAtATime {
   public:
    void resumed(const Actor& who) override {
      OneAtATime::resumed(who);
      std::lock_guard<std::mutex> guard(turns_lock_);
      const auto [it, first] = last_.try_emplace(who.green, who.worker);
      if (!first && it->second == who.worker) ++stayed;
      it->second = who.worker;
      ++turns;
    }
    std::uint64_t turns = 0, stayed = 0;

   private:
    std::mutex turns_lock_;  // guards the rest
    std::map<std::uint32_t, std::uint32_t> last_;
  };
  for (const Collector c :
       {Collector::Semispace, Collector::MarkSweep, Collector::ConcurrentMarkSweep})
    for (const std::uint32_t workers : {2u, 4u}) {
      LastWorker monitor;
      const VmResult r = run_text(kWork, monitor,
                                  {.collector = c,
                                   .workers = workers,
                                   .collect_every = 1,
                                   .quantum = 5,
                                   .always_migrate = true});
      EXPECT_THAT(r.faults, IsEmpty());
      EXPECT_EQ(r.ending, Ending::AllThreadsEnded);
      EXPECT_EQ(monitor.wrong(), 0);
      EXPECT_EQ(monitor.stayed, 0u);
      EXPECT_EQ(r.migrations, monitor.turns - r.threads);
      EXPECT_GE(r.migrations, 100u) << "36 rounds of more than a hundred instructions, 5 a turn";
    }
}

// ---- the recorder ----

TEST(Recorder, TheProgramsTraceHasNothingOfTheSystem) {
  Monitor nobody;
  Recorder recorder(nobody);
  VmOptions options = kOneWorker;
  options.collect_every = 1;
  run_text("class C { f; } thread { n = new C; acq(l); o.f = 1; rel(l); }", recorder, options);
  const auto count = [&](RecordedEvent::Kind kind) {
    return std::count_if(recorder.events().begin(), recorder.events().end(),
                         [&](const RecordedEvent& e) { return e.kind == kind; });
  };
  EXPECT_GT(count(RecordedEvent::Kind::SystemWrite), 0);
  EXPECT_GT(count(RecordedEvent::Kind::SystemAcquire), 0);
  EXPECT_EQ(count(RecordedEvent::Kind::SystemAcquire), count(RecordedEvent::Kind::SystemRelease));
  EXPECT_EQ(count(RecordedEvent::Kind::Copy), 2) << "o and l; n is not made yet";

  using Kind = bfj::Event::Kind;
  std::vector<Kind> kinds;
  for (const bfj::Event& e : program_trace(recorder.events(), RefusedAccesses::LeftOut))
    kinds.push_back(e.kind);
  EXPECT_THAT(kinds, ElementsAre(Kind::Acquire, Kind::Write, Kind::Release));
}

// An object keeps its name when it moves: both writes are to one location, at two addresses.
TEST(Recorder, LocationsFollowObjectsThatMove) {
  Monitor nobody;
  Recorder recorder(nobody);
  VmOptions options = kOneWorker;
  options.collect_every = 1;
  run_text("class C { f; } thread { o.f = 1; n = new C; o.f = 2; }", recorder, options);
  std::vector<RecordedEvent> writes;
  for (const RecordedEvent& e : recorder.events())
    if (e.kind == RecordedEvent::Kind::Write) writes.push_back(e);
  ASSERT_EQ(writes.size(), 2u);
  EXPECT_EQ(writes[0].where, writes[1].where);
  EXPECT_NE(writes[0].address, writes[1].address);
}

}  // namespace
}  // namespace bigfoot::vm
