// verify::Trace against the definitions, looked up one by one in the list of all events.
#include "runtime/verify/trace.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace bigfoot::rt::verify {
namespace {

struct Event {
  enum class What { kAccess, kCheck, kAcquire, kRelease, kMemoryEnds } what;
  ByteRange bytes;
  bool writes;
};
using What = Event::What;
using Events = std::vector<Event>;

struct Told {
  std::vector<Violation> all;
  Judge judge() {
    return {this,
            [](void* self, const Violation& v) { static_cast<Told*>(self)->all.push_back(v); }};
  }
};

// The number of an event is its site.
std::vector<Violation> judged(const Events& events) {
  Trace trace = {};
  Told told;
  for (std::size_t i = 0; i < events.size(); ++i) {
    const Event& e = events[i];
    const Site site{static_cast<u32>(i)};
    switch (e.what) {
      case What::kAccess:
        trace.access(e.bytes, e.writes, site);
        break;
      case What::kCheck:
        trace.check(e.bytes, e.writes, site);
        break;
      case What::kAcquire:
        trace.acquired(told.judge());
        break;
      case What::kRelease:
        trace.releasing();
        break;
      case What::kMemoryEnds:
        trace.memory_ends(e.bytes, told.judge());
        break;
    }
  }
  trace.thread_ends(told.judge());
  trace.release_storage();
  return told.all;
}

// Whether the event that `i` needs for this byte comes in direction `step` before `barrier` does.
bool counterpart(const Events& events, std::size_t i, uptr byte, int step, What barrier) {
  const Event& e = events[i];
  const What wanted = e.what == What::kAccess ? What::kCheck : What::kAccess;
  for (auto j = static_cast<std::ptrdiff_t>(i) + step;
       j >= 0 && j < static_cast<std::ptrdiff_t>(events.size()); j += step) {
    const Event& other = events[static_cast<std::size_t>(j)];
    if (other.what == barrier) return false;
    if (!other.bytes.contains(byte)) continue;
    if (other.what == What::kMemoryEnds) return false;
    if (other.what == wanted && (other.writes || !e.writes)) return true;
  }
  return false;
}

bool satisfied(const Events& events, std::size_t i, uptr byte) {
  return counterpart(events, i, byte, -1, What::kRelease) ||
         counterpart(events, i, byte, +1, What::kAcquire);
}

bool is_judged(const Event& e) {
  return e.what == What::kAccess || e.what == What::kCheck;
}

std::string text(const Events& events) {
  static constexpr const char* kNames[] = {"access", "check", "acquire", "release", "ends"};
  std::string out;
  for (const Event& e : events)
    out += std::string(kNames[static_cast<int>(e.what)]) + (e.writes ? " w " : " r ") +
           std::to_string(e.bytes.begin) + "+" + std::to_string(e.bytes.size) + "; ";
  return out;
}

// Everything that is reported violates the definition, and of every byte and kind that does some
// event is reported: the oldest that waits for the same counterpart.
void expect_agreement(const Events& events) {
  const std::vector<Violation> reported = judged(events);
  for (const Violation& v : reported) {
    const auto i = static_cast<std::size_t>(v.site);
    ASSERT_TRUE(is_judged(events[i])) << text(events);
    EXPECT_EQ(v.is_check, events[i].what == What::kCheck) << text(events);
    EXPECT_EQ(v.writes, events[i].writes) << text(events);
    EXPECT_FALSE(satisfied(events, i, v.address))
        << "false alarm, event " << i << ": " << text(events);
  }
  for (std::size_t i = 0; i < events.size(); ++i) {
    const Event& e = events[i];
    if (!is_judged(e)) continue;
    for (uptr b = e.bytes.begin; b < e.bytes.end(); ++b) {
      if (satisfied(events, i, b)) continue;
      bool found = false;
      for (const Violation& v : reported) {
        const Event& r = events[static_cast<std::size_t>(v.site)];
        found |= r.what == e.what && r.writes == e.writes && r.bytes.contains(b) &&
                 static_cast<std::size_t>(v.site) <= i;
      }
      EXPECT_TRUE(found) << "missed, event " << i << " byte " << b << ": " << text(events);
    }
  }
}

constexpr uptr kBase = 0x10000 - 4;  // ranges cross the boundary of a line

Event random_event(std::mt19937& random) {
  const unsigned kind = random() % 10;
  const What what = kind < 4   ? What::kAccess
                    : kind < 7 ? What::kCheck
                    : kind < 8 ? What::kAcquire
                    : kind < 9 ? What::kRelease
                               : What::kMemoryEnds;
  if (what == What::kAcquire || what == What::kRelease) return {what, {}, false};
  const uptr begin = random() % 8;
  const usize size = 1 + random() % (8 - begin);
  return {what, {kBase + begin, size}, what != What::kMemoryEnds && random() % 2 == 0};
}

TEST(VerifyTrace, AgreesWithTheDefinitionsOnRandomEvents) {
  const unsigned seed = 20170618;
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  for (int round = 0; round < 20000 && !testing::Test::HasFailure(); ++round) {
    Events events(1 + random() % 10);
    for (Event& e : events) e = random_event(random);
    expect_agreement(events);
  }
}

constexpr ByteRange kWord{kBase, 8};
const Event kRead{What::kAccess, kWord, false}, kWrite{What::kAccess, kWord, true};
const Event kCheckRead{What::kCheck, kWord, false}, kCheckWrite{What::kCheck, kWord, true};
const Event kAcquire{What::kAcquire, {}, false}, kRelease{What::kRelease, {}, false};
const Event kEnds{What::kMemoryEnds, kWord, false};

std::size_t violations(const Events& events) {
  return judged(events).size();
}

TEST(VerifyTrace, CheckBeforeTheAccess) {
  EXPECT_EQ(violations({kCheckRead, kRead}), 0u);
  EXPECT_EQ(violations({kRead, kCheckRead, kAcquire, kRead}), 0u);
  // The check is legitimate for the later write, but too early to cover it.
  EXPECT_NE(violations({kCheckWrite, kRelease, kWrite}), 0u);
  EXPECT_NE(violations({kCheckRead, kAcquire, kRead}), 0u);
}

TEST(VerifyTrace, CheckAfterTheAccess) {
  EXPECT_EQ(violations({kWrite, kCheckWrite}), 0u);
  // A check behind a release needs an access behind it, too.
  EXPECT_NE(violations({kWrite, kRelease, kCheckWrite}), 0u);
  EXPECT_EQ(violations({kRead, kRelease, kCheckWrite, kWrite}), 0u);
  EXPECT_NE(violations({kRead, kAcquire, kCheckRead, kRead}), 0u);
}

TEST(VerifyTrace, ReadsAndWritesAreToldApart) {
  EXPECT_EQ(violations({kWrite, kRead, kCheckWrite}), 0u);
  EXPECT_NE(violations({kWrite, kCheckRead}), 0u);  // does not cover the write
  EXPECT_NE(violations({kRead, kCheckWrite}), 0u);  // not legitimate for a read
}

TEST(VerifyTrace, MemoryThatEnds) {
  EXPECT_EQ(violations({kWrite, kCheckWrite, kEnds, kWrite, kCheckWrite}), 0u);
  EXPECT_NE(violations({kWrite, kEnds, kCheckWrite, kWrite}), 0u);
  EXPECT_NE(violations({kWrite, kCheckWrite, kEnds, kWrite}), 0u);
  EXPECT_NE(violations({kCheckWrite, kEnds, kWrite, kCheckWrite}), 0u);
}

TEST(VerifyTrace, ManyLinesAreForgottenAtAReleaseWithoutLosingWhatWaits) {
  Trace trace = {};
  Told told;
  for (uptr a = 0x100000; a < 0x100000 + (usize{4} << 20); a += 8) {
    trace.access({a, 8}, true, Site{1});
    trace.check({a, 8}, true, Site{2});
  }
  trace.access(kWord, true, Site{3});
  trace.releasing();
  EXPECT_TRUE(told.all.empty());
  trace.acquired(told.judge());
  ASSERT_EQ(told.all.size(), 2u);  // the word lies on two lines
  EXPECT_EQ(told.all[0].site, Site{3});
  trace.release_storage();
}

}  // namespace
}  // namespace bigfoot::rt::verify
