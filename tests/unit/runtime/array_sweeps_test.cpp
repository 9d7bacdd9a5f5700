// What a thread's places have swept, with their cursors, against plain sets of accesses.
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <random>
#include <set>

#include "runtime/context/footprints.h"

namespace bigfoot::rt {
namespace {

constexpr uptr kBase = 0x10000;
constexpr ByteRange kArray{kBase, 4096};
constexpr u64 kPath = 0x1234567;

enum class Following { kLoop, kLoopAround };

class Sweeps {
 public:
  // As the run time does it: the cursor, then the footprints there are, then a new one.
  // `size`: of each access, if it is several side by side.
  void access(Pc pc, AccessKind kind, uptr a, usize width, usize size = 0) {
    if (size == 0) size = width;
    const PlaceKey place = PlaceKey::of_call(pc, kPath, kind, width);
    if (mine_->advance(place, a)) {
      ++advanced;
      return;
    }
    const Footprint f = Footprint::one(a, width);
    if (mine_->extend(place, kind, f) != Footprints::Extended::kNo) return;
    if (mine_->full()) collect();
    mine_->begin(place, {f, kArray, nullptr, 1, Origin{static_cast<u32>(pc)}, kind, size,
                         phase_of({a, size})});
  }
  // The same at a site, in a loop that the address follows or in one inside of it. True if
  // instrumented code needs nothing of the run time.
  bool access_at(uptr site, Following follows, AccessKind kind, uptr a, usize width);
  // All bytes that the footprints of a place stand for; nothing is pending afterwards.
  std::set<uptr> of(Pc pc) {
    collect();
    return bytes_[pc];
  }
  u64 calls() {
    collect();
    return calls_;
  }
  Footprints& footprints() { return *mine_; }
  u64 advanced = 0;

 private:
  void collect() {
    mine_->close();
    for (u32 i = 0; i < mine_->count(); ++i) {
      const PlaceFootprint& p = (*mine_)[i];
      EXPECT_GE(p.f.begin, p.room.begin);
      EXPECT_LE(p.f.end(), p.room.end());
      calls_ += p.calls;
      for (usize k = 0; k < p.f.count(); ++k)
        for (usize b = 0; b < p.f.width; ++b)
          bytes_[raw(p.origin)].insert(p.f.begin + k * p.f.step + b);
    }
    mine_->clear();
  }
  std::unique_ptr<Footprints> mine_ = std::make_unique<Footprints>();
  std::map<Pc, std::set<uptr>> bytes_;
  u64 calls_ = 0;
};

PlaceKey reading(Pc pc, u64 path = kPath) {
  return PlaceKey::of_call(pc, path, AccessKind::kRead, 8);
}
// The next place with the same cursor.
Pc with_cursor_of(Pc pc) {
  Pc other = pc + 1;
  while (reading(other).cursor != reading(pc).cursor) ++other;
  return other;
}
// So many of these that sweep side by side.
u32 footprints_of_sweeps(Pc first, int places) {
  Sweeps s;
  for (uptr a = kBase; a < kArray.end(); a += 8) {
    Pc pc = first;
    for (int i = 0; i < places; ++i, pc = with_cursor_of(pc)) s.access(pc, AccessKind::kRead, a, 8);
  }
  return s.footprints().count();
}

// What instrumented code does with the cursor of a site (frontends/llvm/sweep_test.cpp).
bool moves_inline(abi::Cursor* cursors, uptr site, uptr a) {
  abi::Cursor& c = cursors[site % abi::kCursors];
  const u64 more = c.place - (site ^ kPath);
  if (more == abi::kAgain) return abi::covers(c, a);
  if (more != 0 || a - c.at != c.step || a - c.low > c.span) return false;
  c.at = a;
  return true;
}
bool stays_inline(const abi::Cursor* cursors, uptr site, uptr a) {
  const abi::Cursor& c = cursors[site % abi::kCursors];
  return c.at == a && c.place - (site ^ kPath) <= abi::kAgain;
}
bool Sweeps::access_at(uptr site, Following follows, AccessKind kind, uptr a, usize width) {
  abi::Cursor* cursors = mine_->cursors();
  if (follows == Following::kLoop ? moves_inline(cursors, site, a) : stays_inline(cursors, site, a))
    return true;
  const PlaceKey place = PlaceKey::of_site(site, kPath);
  if (mine_->advance(place, a)) return false;
  const Footprint f = Footprint::one(a, width);
  if (mine_->extend(place, kind, f) != Footprints::Extended::kNo) return false;
  if (mine_->full()) collect();
  mine_->begin(place, {f, kArray, nullptr, 1, Origin{static_cast<u32>(site)}, kind, width,
                       phase_of({a, width})});
  return false;
}

std::set<uptr> bytes_of(uptr begin, uptr end) {
  std::set<uptr> s;
  for (; begin < end; ++begin) s.insert(begin);
  return s;
}

TEST(ArraySweeps, ASweepMovesItsCursor) {
  Sweeps s;
  for (uptr a = kBase; a < kBase + 800; a += 8) s.access(0x400, AccessKind::kRead, a, 8);
  EXPECT_EQ(s.advanced, 98u);  // all but the first two, which say where it goes
  EXPECT_EQ(s.footprints().count(), 1u);
  EXPECT_EQ(s.of(0x400), bytes_of(kBase, kBase + 800));
}
TEST(ArraySweeps, DownwardsToo) {
  Sweeps s;
  for (uptr a = kBase + 800; a > kBase + 400; a -= 8) s.access(0x400, AccessKind::kWrite, a, 8);
  EXPECT_EQ(s.advanced, 48u);
  EXPECT_EQ(s.of(0x400), bytes_of(kBase + 408, kBase + 808));
}
TEST(ArraySweeps, SeveralAccessesAtATime) {
  Sweeps s;
  // Aligned as each of them is, not as all together.
  for (uptr a = kBase + 8; a < kBase + 808; a += 32) s.access(0x400, AccessKind::kRead, a, 32, 8);
  EXPECT_EQ(s.advanced, 23u);
  EXPECT_EQ(s.footprints().count(), 1u);
  EXPECT_EQ(s.of(0x400), bytes_of(kBase + 8, kBase + 808));
  // Some of which are accessed in the next round once more.
  for (uptr a = kBase; a < kBase + 800; a += 16) s.access(0x500, AccessKind::kRead, a, 32, 16);
  EXPECT_EQ(s.advanced, 23u + 48u);
  EXPECT_EQ(s.of(0x500), bytes_of(kBase, kBase + 816));
  const PlaceKey place = PlaceKey::of_call(0x600, kPath, AccessKind::kRead, 32);
  for (uptr a = kArray.end() - 96; a < kArray.end(); a += 32)
    s.access(0x600, AccessKind::kRead, a, 32, 8);
  EXPECT_FALSE(s.footprints().advance(place, kArray.end()));
}
TEST(ArraySweeps, TheCursorStaysInTheArray) {
  Sweeps s;
  const uptr end = kArray.end();
  for (uptr a = end - 32; a < end; a += 8) s.access(0x400, AccessKind::kRead, a, 8);
  EXPECT_FALSE(s.footprints().advance(reading(0x400), end));
  for (uptr a = kBase + 24; a >= kBase; a -= 8) s.access(0x500, AccessKind::kRead, a, 8);
  EXPECT_FALSE(s.footprints().advance(reading(0x500), kBase - 8));
}
TEST(ArraySweeps, AnotherPlaceHasAnotherCursor) {
  Sweeps s;
  for (uptr a = kBase; a < kBase + 64; a += 8) s.access(0x400, AccessKind::kRead, a, 8);
  const uptr next = kBase + 64;
  Footprints& f = s.footprints();
  EXPECT_FALSE(f.advance(reading(0x400, kPath + 1), next));
  EXPECT_FALSE(f.advance(PlaceKey::of_call(0x400, kPath, AccessKind::kWrite, 8), next));
  EXPECT_FALSE(f.advance(PlaceKey::of_call(0x400, kPath, AccessKind::kRead, 4), next));
  EXPECT_TRUE(f.advance(reading(0x400), next));
}
TEST(ArraySweeps, LongAccessesMayDifferInSize) {
  Sweeps s;
  for (uptr a = kBase; a < kBase + 700; a += 100) s.access(0x400, AccessKind::kWrite, a, 100);
  s.access(0x400, AccessKind::kWrite, kBase + 600, 200);
  EXPECT_EQ(s.advanced, 0u);
  EXPECT_EQ(s.of(0x400), bytes_of(kBase, kBase + 800));
}
TEST(ArraySweeps, AStepThatChangesTheAlignmentHasOtherOrigins) {
  Sweeps s;
  for (uptr a = kBase; a < kBase + 120; a += 12) s.access(0x400, AccessKind::kRead, a, 8);
  EXPECT_EQ(s.advanced, 0u);
}
TEST(ArraySweeps, NothingGoesOnAfterTheEpoch) {
  Sweeps s;
  for (uptr a = kBase; a < kBase + 64; a += 8) s.access(0x400, AccessKind::kRead, a, 8);
  s.footprints().close();
  const PlaceKey place = reading(0x400);
  EXPECT_FALSE(s.footprints().advance(place, kBase + 64));
  EXPECT_FALSE(s.footprints().advance(place, kBase + 56));
}
TEST(ArraySweeps, SaysWhenAllIsRepeated) {
  Sweeps s;
  Footprints& f = s.footprints();
  auto last = Footprints::Extended::kYes;
  for (int sweep = 0; sweep < 3; ++sweep)
    for (uptr a = kBase; a < kArray.end(); a += 8) s.access(0x400, AccessKind::kRead, a, 8);
  last = f.extend(reading(0x400), AccessKind::kRead, Footprint::one(kBase, 8));
  EXPECT_EQ(last, Footprints::Extended::kYes);
  for (int sweep = 0; sweep < 3; ++sweep)
    for (uptr a = kBase; a < kArray.end(); a += 8) s.access(0x400, AccessKind::kRead, a, 8);
  last = f.extend(reading(0x400), AccessKind::kRead, Footprint::one(kBase, 8));
  EXPECT_EQ(last, Footprints::Extended::kRepetitive);
}

TEST(ArraySweeps, InstrumentedCodeMovesTheCursorOfItsSite) {
  constexpr uptr kSite = 0x7f80 + 5;
  const PlaceKey place = PlaceKey::of_site(kSite, kPath);
  Sweeps s;
  Footprints& f = s.footprints();
  const auto item = [](uptr a) {
    return PlaceFootprint{Footprint::one(a, 8), kArray, nullptr, 1, Origin{1},
                          AccessKind::kRead,    8};
  };
  EXPECT_FALSE(moves_inline(f.cursors(), kSite, kBase));
  f.begin(place, item(kBase));
  EXPECT_FALSE(moves_inline(f.cursors(), kSite, kBase + 8));  // nobody knows where it goes
  EXPECT_EQ(f.extend(place, AccessKind::kRead, Footprint::one(kBase + 8, 8)),
            Footprints::Extended::kYes);
  for (uptr a = kBase + 16; a < kArray.end(); a += 8)
    EXPECT_TRUE(moves_inline(f.cursors(), kSite, a));
  EXPECT_FALSE(moves_inline(f.cursors(), kSite, kArray.end()));      // another array's
  EXPECT_FALSE(moves_inline(f.cursors(), kSite, kArray.end() - 8));  // once more: it is counted
  EXPECT_FALSE(moves_inline(f.cursors(), kSite ^ 0x80, kArray.end()));
  EXPECT_EQ(s.of(1), bytes_of(kArray.begin, kArray.end()));
  EXPECT_FALSE(moves_inline(f.cursors(), kSite, kArray.end()));  // closed
}
// What the place has done in this epoch needs no call, except for the first of a sweep.
TEST(ArraySweeps, SweepsOnceMore) {
  constexpr uptr kSite = 0x7f80 + 5;
  for (usize step : {8, 16, 24, 64, 72, 144}) {
    Sweeps s;
    const uptr middle = kBase + 10 * step, end = kBase + 20 * step;
    auto sweep = [&](uptr from, uptr to) {
      int calls = 0;
      for (uptr a = from; a < to; a += step)
        calls += !s.access_at(kSite, Following::kLoop, AccessKind::kRead, a, 8);
      return calls;
    };
    EXPECT_EQ(sweep(kBase, middle), 2);
    EXPECT_EQ(sweep(kBase, middle), 1);
    EXPECT_EQ(sweep(kBase + step, middle), 0);
    EXPECT_EQ(sweep(kBase + step, end), 1);  // goes on where it has not been
    EXPECT_EQ(sweep(middle, end), 1);
    EXPECT_FALSE(s.access_at(kSite, Following::kLoop, AccessKind::kRead, kBase + 4, 8));
    // The others are not even counted.
    EXPECT_EQ(s.calls(), 20u + 2u + 1u);
    EXPECT_EQ(sweep(kBase, middle), 2);  // another epoch
  }
}
TEST(ArraySweeps, GoesOnFromTheLastOnceMore) {
  constexpr uptr kSite = 0x7f80 + 5;
  const uptr middle = kBase + 800, end = kBase + 1600;
  Sweeps s;
  int calls = 0;
  for (uptr a = middle; a >= kBase; a -= 8)
    calls += !s.access_at(kSite, Following::kLoop, AccessKind::kRead, a, 8);
  EXPECT_EQ(calls, 2);
  for (uptr a = middle; a < end; a += 8)
    calls += !s.access_at(kSite, Following::kLoop, AccessKind::kRead, a, 8);
  EXPECT_EQ(calls, 4);
  EXPECT_EQ(s.of(kSite), bytes_of(kBase, end));
}
TEST(ArraySweeps, StaysWhereItIs) {
  constexpr uptr kSite = 0x7f80 + 5;
  Sweeps s;
  int calls = 0;
  for (uptr a = kBase; a < kBase + 800; a += 16)
    for (int i = 0; i < 10; ++i)
      calls += !s.access_at(kSite, Following::kLoopAround, AccessKind::kRead, a, 8);
  EXPECT_EQ(calls, 50);
  EXPECT_EQ(s.footprints().count(), 1u);
  EXPECT_EQ(s.calls(), 50u);
  EXPECT_FALSE(stays_inline(s.footprints().cursors(), kSite, kBase + 784));  // another epoch
}
TEST(ArraySweeps, CoversWhatTheFootprintHas) {
  constexpr uptr kSite = 0x7f80 + 5;
  const PlaceKey place = PlaceKey::of_site(kSite, kPath);
  for (usize step = 1; step < 300; ++step)
    for (usize count : {1, 2, 3, 7, 13}) {
      const Footprint f = Footprint::run(kBase + 40, kBase + 40 + step * count, step, 1);
      Footprints mine{};
      mine.begin(place, {f, kArray, nullptr, 1, Origin{1}, AccessKind::kRead, 1});
      mine.extend(place, AccessKind::kRead, Footprint::one(f.last, 1));
      const abi::Cursor& c = mine.cursors()[kSite % abi::kCursors];
      ASSERT_EQ(c.place, place.name + abi::kAgain);
      for (uptr a = kBase - 8; a < kArray.end(); ++a)
        ASSERT_EQ(abi::covers(c, a), f.contains(a)) << step << " " << count << " " << a - kBase;
      ASSERT_FALSE(abi::covers(c, 0));
      ASSERT_FALSE(abi::covers(c, ~uptr{0}));
    }
}
// Another thread may close the cursors while their owner looks at one and has not come to the
// place, which it compares last. Until then no other access may seem to be covered.
TEST(ArraySweeps, ACursorThatIsClosedCoversNothingElse) {
  constexpr uptr kSite = 0x7f80 + 5;
  const PlaceKey place = PlaceKey::of_site(kSite, kPath);
  const Footprint f = Footprint::run(kBase + 40, kBase + 440, 8, 8);
  Footprints mine{};
  mine.begin(place, {f, kArray, nullptr, 1, Origin{1}, AccessKind::kRead, 8});
  mine.extend(place, AccessKind::kRead, Footprint::one(f.last, 8));
  const abi::Cursor& c = mine.cursors()[kSite % abi::kCursors];
  ASSERT_EQ(c.place, place.name + abi::kAgain);
  mine.close();
  EXPECT_EQ(c.place, 0u);
  EXPECT_EQ(c.at, 0u);
  for (uptr a = kBase - 8; a < kArray.end(); ++a)
    if (f.begin > a || a > f.last) EXPECT_FALSE(abi::covers(c, a)) << a - kBase;
}
TEST(ArraySweeps, ASiteIsNoCall) {
  // Not even of the same number.
  EXPECT_NE(PlaceKey::of_site(0x400, kPath).name, reading(0x400).name);
  // And never nobody.
  EXPECT_NE(PlaceKey::of_site(kPath, kPath).name, 0u);
}
TEST(ArraySweeps, SitesAndCallsDoNotTakeEachOthersCursors) {
  for (uptr i = 0; i < 4096; ++i) {
    EXPECT_LT(PlaceKey::of_site(i, kPath).cursor, abi::kCursors);
    EXPECT_GE(reading(i).cursor, abi::kCursors);
    EXPECT_LT(reading(i).cursor, kAllCursors);
  }
}
TEST(ArraySweeps, TwoCallsOfOneCursorBothGoOn) {
  EXPECT_EQ(footprints_of_sweeps(0x400, 1), 1u);
  EXPECT_EQ(footprints_of_sweeps(0x400, 2), 2u);
}
// Wherever an executable is loaded: all distances in it are the same.
TEST(ArraySweeps, ACallHasTheSameCursorInEveryRun) {
  const Pc here = reinterpret_cast<uptr>(no_cursors);
  std::set<usize> seen;
  for (Pc distance = 0x1000; distance < 0x1400; distance += 16)
    seen.insert(reading(here - distance).cursor);
  EXPECT_EQ(reading(here).cursor, abi::kCursors);
  EXPECT_GT(seen.size(), 32u);
}

// Random sweeps of a few places, up and down, with gaps, repeats and changes of width.
TEST(ArraySweeps, NoAccessIsLostAndNoneInvented) {
  const u64 seed = 20240407;
  std::mt19937_64 random(seed);
  for (int round = 0; round < 2000; ++round) {
    Sweeps s;
    std::map<Pc, std::set<uptr>> expected;
    u64 accesses = 0, inline_only = 0;
    for (int sweep = 0; sweep < 12; ++sweep) {
      // Three of them share two cursors: they push each other out.
      static const Pc kSecond = with_cursor_of(0x400);
      static const Pc kPcs[] = {0x400, 0x500, kSecond, with_cursor_of(kSecond)};
      // And some are sites.
      const bool site = random() % 3 == 0, stays = random() % 2 == 0;
      const Pc pc = site ? 0x7f80 + random() % 2 : kPcs[random() % 4];
      // Also such as have a phase, and some whose size no key tells.
      static constexpr usize kWidths[] = {1, 2, 4, 8, 8, 16, 12, 64, 72, 80};
      const usize width = site ? 8 : kWidths[random() % 10];
      const usize step = width * (1 + random() % 3);
      const bool up = random() % 3 != 0;
      uptr a = kBase + random() % 200 * 8;
      for (u64 n = random() % 40; n > 0; --n) {
        if (a < kBase || a + width > kArray.end()) break;
        if (!site)
          s.access(pc, AccessKind::kRead, a, width);
        else if (s.access_at(pc, stays ? Following::kLoopAround : Following::kLoop,
                             AccessKind::kRead, a, width))
          ++inline_only;
        for (usize b = 0; b < width; ++b) expected[pc].insert(a + b);
        ++accesses;
        if (random() % 8 == 0) continue;  // once more
        if (random() % 16 == 0) a += step;
        a = up ? a + step : a - step;
      }
    }
    for (const auto& [pc, bytes] : expected)
      ASSERT_EQ(s.of(pc), bytes) << "round " << round << ", seed " << seed;
    // Of those that instrumented code has done alone only those that have moved a cursor are known.
    ASSERT_LE(s.calls(), accesses) << "round " << round << ", seed " << seed;
    ASSERT_GE(s.calls(), accesses - inline_only) << "round " << round << ", seed " << seed;
  }
}

}  // namespace
}  // namespace bigfoot::rt
