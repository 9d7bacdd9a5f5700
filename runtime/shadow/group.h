// Groups of words: several neighbouring words with one history, in one cell.
//
// Fields that a program always checks together need one shadow location, not one each (RedCard's
// and BigFoot's proxies). Here that is a fact of the shadow, not an assumption about the program:
//
//   first word    its cell of plane 8 has the history of all words of the group, and says how many
//                 those are in the three bits that plane 1 has for the size of a part (cell.h)
//   other words   a mark: | special : 1 | 0 : 20 | distance : 3 | 0 : 4 | 0xf : 4 |
//                 "my history is with the word `distance` before me"
//
// Whoever accesses a part of a group cuts it first, each part with the history it had
// (detect/groups.h). A word that was cut out alone carries that in the same three bits: it joins no
// group again until its memory is cleared, so that an object whose uses disagree pays for one cut
// between two words, not for one each time.
#pragma once

#include "runtime/shadow/cell.h"

namespace bigfoot::rt {

inline constexpr unsigned kMaxGroupWords = abi::kMaxGroupWords;
inline constexpr u32 kCutOut = u32{7} << kPartShift;
static_assert(kMaxGroupWords - 1 < kCutOut >> kPartShift && kPartShift == abi::kGroupShift - 32);

// Of a cell in plane 8 that is not special: how many words it speaks for.
constexpr unsigned group_words(const Cell& c) {
  const u32 bits = c.write_origin & kPartMask;
  return bits == kCutOut ? 1 : (bits >> kPartShift) + 1;
}
// The same of the first half of such a cell.
constexpr bool speaks_for_many(u64 half) {
  const u64 bits = half >> 32 & kPartMask;
  return bits != 0 && bits != kCutOut;
}
constexpr Cell as_group(const Cell& c, unsigned words) {
  const u32 bits = words == 1 ? kCutOut : (words - 1) << kPartShift;
  return {c.write, (c.write_origin & ~kPartMask) | bits, c.read, c.read_origin};
}

inline constexpr u32 kFollowerBits = kSpecialBit | 0xf;
constexpr Cell follower(unsigned distance) {
  return {kFollowerBits | distance << 8, 0, 0, 0};
}
constexpr bool is_follower(u32 mark) {
  return (mark & kFollowerBits) == kFollowerBits;
}
// REQUIRES: is_follower(mark).
constexpr unsigned distance_of(u32 mark) {
  return mark >> 8 & 7;
}

// Whether a word's cell in plane 8 is one of several that share a history.
constexpr bool in_group(const Cell& c) {
  return is_special(c.write) ? is_follower(c.write) : group_words(c) > 1;
}

static_assert(group_words(as_group({}, kMaxGroupWords)) == kMaxGroupWords);
static_assert(group_words(as_group({}, 1)) == 1 && !in_group(as_group({}, 1)));
static_assert(is_follower(follower(6).write) && distance_of(follower(6).write) == 6);

}  // namespace bigfoot::rt
