// The list with a gap against std::vector.
#include "runtime/base/gap_list.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace bigfoot::rt {
namespace {

std::vector<int> contents(const GapList<int>& list) {
  std::vector<int> v;
  for (u32 i = 0; i < list.size(); ++i) v.push_back(list[i]);
  return v;
}

TEST(GapList, IsAVector) {
  const unsigned seed = 20240408;
  std::mt19937 random(seed);
  for (int round = 0; round < 500; ++round) {
    GapList<int> list;
    std::vector<int> model;
    for (int step = 0; step < 200; ++step) {
      const auto n = static_cast<u32>(model.size());
      const u32 at = random() % (n + 1);
      switch (random() % 8) {
        case 0: {
          const u32 to = at + random() % (n - at + 1);
          list.erase(at, to);
          model.erase(model.begin() + at, model.begin() + to);
          break;
        }
        case 1:
          if (n == 0) break;
          list[at % n] = step;
          model[at % n] = step;
          break;
        case 2:
          list.push(step);
          model.push_back(step);
          EXPECT_EQ(list.back(), step);
          break;
        case 3:
          if (random() % 16 != 0) break;
          list.clear();
          model.clear();
          break;
        case 4:  // one of its own elements, which move meanwhile
          if (n == 0) break;
          list.insert(at, list[n / 2]);
          model.insert(model.begin() + at, int{model[n / 2]});
          break;
        case 5: {  // a part of another list, whose gap is anywhere
          GapList<int> other;
          for (int i = 0; i < 6; ++i) other.push(step + i);
          other.erase(random() % 6, 6);
          other.insert(random() % (other.size() + 1), -step);
          const u32 first = random() % other.size();
          const u32 count = random() % (other.size() - first + 1);
          list.insert(at, other, first, count);
          const std::vector<int> all = contents(other);
          model.insert(model.begin() + at, all.begin() + first, all.begin() + first + count);
          other.release_storage();
          break;
        }
        default:
          list.insert(at, step);
          model.insert(model.begin() + at, step);
      }
      ASSERT_EQ(contents(list), model) << "seed " << seed << ", round " << round;
    }
    list.release_storage();
    EXPECT_EQ(list.size(), 0u);
  }
}

}  // namespace
}  // namespace bigfoot::rt
