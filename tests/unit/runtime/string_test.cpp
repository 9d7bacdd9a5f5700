// Copying and clearing of bytes: every length up to where the string instructions take over and
// some beyond, at several alignments, with what is around them.
#include "runtime/base/string.h"

#include <gtest/gtest.h>

#include <vector>

extern "C" void* __bf_internal_memmove(void* to, const void* from, std::size_t n);

namespace bigfoot::rt {
namespace {

constexpr usize kRoom = 400, kLongest = 300;

std::vector<unsigned char> numbered() {
  std::vector<unsigned char> v(kRoom);
  for (usize i = 0; i < kRoom; ++i) v[i] = static_cast<unsigned char>(i * 7 + 1);
  return v;
}

TEST(String, CopiesTheseBytesAndNoOthers) {
  const auto from = numbered();
  for (usize n = 0; n <= kLongest; ++n)
    for (usize shift : {0u, 1u, 3u, 8u, 13u}) {
      std::vector<unsigned char> to(kRoom, 0xee), expected = to;
      for (usize i = 0; i < n; ++i) expected[16 + shift + i] = from[5 + i];
      copy_bytes(&to[16 + shift], &from[5], n);
      ASSERT_EQ(to, expected) << n << " bytes, shift " << shift;
    }
}

TEST(String, ClearsTheseBytesAndNoOthers) {
  for (usize n = 0; n <= kLongest; ++n)
    for (usize shift : {0u, 1u, 3u, 8u, 13u}) {
      auto v = numbered(), expected = v;
      for (usize i = 0; i < n; ++i) expected[16 + shift + i] = 0;
      zero_bytes(&v[16 + shift], n);
      ASSERT_EQ(v, expected) << n << " bytes, shift " << shift;
    }
}

// memmove copies from the front if it can, with copy_bytes().
TEST(String, MovesOverItself) {
  for (usize n = 0; n <= kLongest; ++n)
    for (usize from : {40u, 41u, 47u, 48u, 56u, 61u})
      for (usize to : {40u, 41u, 47u, 48u, 56u, 61u}) {
        auto v = numbered(), expected = v;
        const auto old = v;
        for (usize i = 0; i < n; ++i) expected[to + i] = old[from + i];
        __bf_internal_memmove(&v[to], &v[from], n);
        ASSERT_EQ(v, expected) << n << " bytes, " << from << " to " << to;
      }
}

}  // namespace
}  // namespace bigfoot::rt
