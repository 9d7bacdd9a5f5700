// The atomic accesses of a location, against a list that is searched naively.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "runtime/sync/sync_var.h"

namespace bigfoot::rt {
namespace {

using Key = std::vector<u32>;
Key key(const AtomicEntry& e) {
  return {raw(e.stamp), raw(e.origin), index(e.slot), u32{e.writes}, u32{e.size}};
}
std::vector<Key> keys(const AtomicEntry* begin, const AtomicEntry* end) {
  std::vector<Key> all;
  for (const AtomicEntry* e = begin; e != end; ++e) all.push_back(key(*e));
  std::sort(all.begin(), all.end());
  return all;
}

TEST(AtomicHistory, OneIsKeptInPlace) {
  AtomicHistory h;
  EXPECT_EQ(h.begin(), h.end());
  h.record({Stamp{1025}, Origin{7}, Slot{0}, true, 4});
  const auto* inside = reinterpret_cast<const AtomicHistory*>(h.begin());
  EXPECT_TRUE(inside >= &h && inside < &h + 1);
  h.record({Stamp{1026}, Origin{8}, Slot{0}, true, 4});  // the slot's later one
  ASSERT_EQ(h.count(), 1u);
  EXPECT_EQ(key(*h.begin()), (Key{1026, 8, 0, 1, 4}));
}

TEST(AtomicHistory, AgreesWithAList) {
  std::mt19937 random(20);
  const auto draw = [&](u32 below) { return static_cast<u32>(random() % below); };
  for (int round = 0; round < 200; ++round) {
    AtomicHistory h, copy;
    std::vector<AtomicEntry> list;
    for (u32 step = 1; step < 60; ++step) {
      if (draw(6) == 0) {
        const u32 slot = draw(5), writes = draw(2);
        const auto gone = [&](const AtomicEntry& e) {
          return index(e.slot) >= slot && e.writes == (writes != 0);
        };
        h.drop_if(gone);
        std::erase_if(list, gone);
      } else {
        const AtomicEntry e{Stamp{step}, Origin{step + 9}, Slot{draw(5)}, draw(2) != 0,
                            static_cast<u8>(4 << draw(2))};
        h.record(e);
        std::erase_if(list, [&](const AtomicEntry& old) {
          return old.slot == e.slot && old.writes == e.writes && old.size == e.size;
        });
        list.push_back(e);
      }
      ASSERT_EQ(keys(h.begin(), h.end()), keys(list.data(), list.data() + list.size()));
    }
    copy.assign(h);
    EXPECT_EQ(keys(copy.begin(), copy.end()), keys(h.begin(), h.end()));
    h.release_storage();
    EXPECT_EQ(h.count(), 0u);
    EXPECT_EQ(keys(copy.begin(), copy.end()), keys(list.data(), list.data() + list.size()));
    copy.release_storage();
  }
}

}  // namespace
}  // namespace bigfoot::rt
