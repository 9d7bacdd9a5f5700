// From any byte of an access, its size and its phase back to its first byte.
#include <gtest/gtest.h>

#include "runtime/origin/depot.h"

namespace bigfoot::rt {
namespace {

TEST(OriginPhase, AnyByteLeadsToTheFirst) {
  constexpr uptr kBase = 0x7fff0000;
  for (u64 size = 1; size <= kMaxPhaseBytes; ++size)
    for (uptr begin = kBase; begin < kBase + 2 * kMaxPhaseBytes; ++begin)
      for (uptr byte = begin; byte < begin + size; ++byte)
        ASSERT_EQ(first_byte(byte, size, phase_of({begin, size})), begin) << size << " bytes";
}

TEST(OriginPhase, IsZeroForWhatIsAligned) {
  for (u64 size = 1; size <= kMaxPhaseBytes; size *= 2)
    EXPECT_EQ(phase_of({0x1000 + size, size}), 0);
  EXPECT_EQ(phase_of({0x1001, kMaxPhaseBytes + 1}), 0);
}

}  // namespace
}  // namespace bigfoot::rt
