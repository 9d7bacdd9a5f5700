// The parts of base/ that reports are made with.
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "runtime/base/hash_map.h"
#include "runtime/base/text.h"

namespace bigfoot::rt {
namespace {

std::string str(Text t) {
  return {t.data, t.size};
}

TEST(Text, Parts) {
  EXPECT_EQ(str(Text("/a/b/c.cpp").basename()), "c.cpp");
  EXPECT_EQ(str(Text("c.cpp").basename()), "c.cpp");
  EXPECT_EQ(str(Text("/a/").basename()), "");
  EXPECT_EQ(str(Text(" \t x y\r\n").trimmed()), "x y");
  EXPECT_EQ(str(Text("  ").trimmed()), "");
  EXPECT_TRUE(Text("hello").contains("ell"));
  EXPECT_TRUE(Text("hello").contains(""));
  EXPECT_FALSE(Text("hello").contains("hello!"));
  EXPECT_EQ(Text("abc").find('c'), 2u);
  EXPECT_EQ(Text("abc").find('x'), 3u);
  EXPECT_EQ(str(Text("abc").drop_front(9)), "");
  EXPECT_TRUE(Text(nullptr).empty());
}

TEST(Text, Numbers) {
  u64 v = 7;
  EXPECT_TRUE(parse_decimal("18446744073709551615", v));
  EXPECT_EQ(v, ~u64{0});
  for (const char* bad :
       {"", "18446744073709551616", "99999999999999999999", "1x", "-1", " 1", "0x1"}) {
    v = 7;
    EXPECT_FALSE(parse_decimal(bad, v)) << bad;
    EXPECT_EQ(v, 7u);
  }
  EXPECT_TRUE(parse_hex("0xfFfFfFfFfFfFfFfF", v));
  EXPECT_EQ(v, ~u64{0});
  EXPECT_TRUE(parse_hex("1f", v));
  EXPECT_EQ(v, 31u);
  EXPECT_FALSE(parse_hex("0x", v));
  EXPECT_FALSE(parse_hex("10000000000000000", v));
}

TEST(TextBuffer, GrowsAndKeepsWhatItHolds) {
  TextBuffer b;
  std::string expected;
  for (u64 i = 0; i < 50000; ++i) {
    b.add_decimal(i).add(" ").add_hex(i * i).add_char('\n');
    char line[64];
    snprintf(line, sizeof line, "%lu %#lx\n", static_cast<unsigned long>(i),
             static_cast<unsigned long>(i * i));
    expected += i == 0 ? "0 0x0\n" : line;
  }
  EXPECT_EQ(str(b.text()), expected);
  EXPECT_EQ(std::string(b.c_str()), expected);
  EXPECT_FALSE(b.truncated());
  b.clear();
  EXPECT_EQ(b.size(), 0u);
  EXPECT_STREQ(b.c_str(), "");
}

TEST(TextBuffer, SaysWhenThereWasNoMemory) {
  TextBuffer b;
  b.add("kept");
  EXPECT_EQ(b.room(usize{1} << 48), nullptr);
  EXPECT_TRUE(b.truncated());
  EXPECT_EQ(str(b.text()), "kept");
}

TEST(TextBuffer, ReadsFiles) {
  TextBuffer b;
  EXPECT_TRUE(read_file("/proc/self/maps", b));
  EXPECT_TRUE(b.text().contains("[stack]"));
  b.clear();
  EXPECT_FALSE(read_file("/no/such/file", b));
  EXPECT_FALSE(read_file("/tmp", b));
}

TEST(Keeper, BlocksDoNotOverlapAndAreAligned) {
  Keeper keeper;
  std::map<uptr, usize> blocks;
  for (usize i = 1; i < 5000; ++i) {
    const usize size = i * 7919 % 3000 + 1, align = usize{1} << (i % 7);
    const auto p = reinterpret_cast<uptr>(keeper.allocate(size, align));
    EXPECT_EQ(p % align, 0u);
    const auto next = blocks.lower_bound(p);
    if (next != blocks.end()) EXPECT_LE(p + size, next->first);
    if (next != blocks.begin()) EXPECT_LE(std::prev(next)->first + std::prev(next)->second, p);
    blocks[p] = size;
  }
  EXPECT_NE(keeper.allocate(usize{10} << 20), nullptr) << "larger than a block";
}

TEST(HashMap, BehavesLikeTheStandardOne) {
  HashMap<u32> map;
  std::map<u64, u32> model;
  u64 x = 1;
  for (u32 i = 0; i < 20000; ++i) {
    x = x * 6364136223846793005ull + 1442695040888963407ull;
    const u64 key = (x >> 50) + 1;  // 16384 keys: many come again
    const auto [value, fresh] = map.insert(key);
    EXPECT_EQ(fresh, model.find(key) == model.end());
    if (fresh) EXPECT_EQ(*value, 0u);
    *value = i;
    model[key] = i;
  }
  EXPECT_EQ(map.size(), model.size());
  for (u64 key = 1; key <= 16384; ++key) {
    const u32* found = map.find(key);
    const auto it = model.find(key);
    ASSERT_EQ(found != nullptr, it != model.end());
    if (found != nullptr) EXPECT_EQ(*found, it->second);
  }
  EXPECT_EQ(HashMap<u32>().find(5), nullptr);
}

}  // namespace
}  // namespace bigfoot::rt
