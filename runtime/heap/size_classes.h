// The sizes small blocks come in.
//
//   16 .. 128      steps of 16
//   .. 8192        four steps per doubling: at most a fifth of a block is wasted
//   .. 32768       a slab divided by 7, 6, 5, 4, 3, 2: no rest worth mentioning at the slab's end
//
// Every size is a multiple of 16, from 1024 on of 64, and every slab starts at a multiple of 64
// KiB, so a block is aligned to any power of two that divides its class's size.
#pragma once

#include "runtime/base/types.h"

namespace bigfoot::rt::heap {

inline constexpr unsigned kSlabBits = 16;
inline constexpr usize kSlabBytes = usize{1} << kSlabBits;
inline constexpr usize kGranule = 16;
inline constexpr usize kLine = 64;  // what larger sizes are multiples of: no two share one
inline constexpr usize kMaxSmallBytes = kSlabBytes / 2;
inline constexpr unsigned kClassCount = 38;
inline constexpr usize kMinNumberedBytes = 1024;  // see heap.h

enum class SizeClass : u8 {};
constexpr unsigned index(SizeClass c) {
  return static_cast<unsigned>(c);
}

struct ClassInfo {
  u32 bytes = 0;
  u32 blocks_per_slab = 0;
  // offset / bytes == (offset * reciprocal) >> 32 for every offset in a slab: 2^32 divided by bytes
  // and rounded up is off by less than `bytes`, and 64 KiB times that stays below 2^32.
  u32 reciprocal = 0;
  u32 cached = 0;  // how many a thread keeps at most: up to 64 blocks or 64 KiB
};

struct ClassTable {
  ClassInfo info[kClassCount];
  u8 of_granules[1024 / kGranule + 1];  // classes of the sizes up to 1024, which are nearly all
};

consteval ClassTable make_class_table() {
  ClassTable t{};
  unsigned n = 0;
  auto add = [&](usize bytes) {
    ClassInfo& c = t.info[n++];
    c.bytes = static_cast<u32>(bytes);
    c.blocks_per_slab = static_cast<u32>(kSlabBytes / bytes);
    c.reciprocal = static_cast<u32>(((u64{1} << 32) + bytes - 1) / bytes);
    usize by_memory = kSlabBytes / bytes;
    c.cached = static_cast<u32>(by_memory < 64 ? by_memory : 64);
  };
  for (usize b = 16; b <= 128; b += 16) add(b);
  for (usize b = 128; b < 8192; b *= 2)
    for (usize step = 1; step <= 4; ++step) add(b + b / 4 * step);
  for (usize parts = 7; parts >= 2; --parts) add(kSlabBytes / parts / kLine * kLine);
  if (n != kClassCount) __builtin_trap();  // not a constant expression: kClassCount is wrong
  for (usize g = 0; g <= 1024 / kGranule; ++g) {
    u8 c = 0;
    while (t.info[c].bytes < g * kGranule) ++c;
    t.of_granules[g] = c;
  }
  return t;
}
inline constexpr ClassTable kClasses = make_class_table();

constexpr const ClassInfo& info(SizeClass c) {
  return kClasses.info[index(c)];
}

// The smallest class that holds `size` bytes. REQUIRES: size <= kMaxSmallBytes.
constexpr SizeClass class_of_size(usize size) {
  if (size <= 1024) return SizeClass{kClasses.of_granules[(size + kGranule - 1) / kGranule]};
  unsigned c = kClasses.of_granules[1024 / kGranule];
  while (kClasses.info[c].bytes < size) ++c;
  return static_cast<SizeClass>(c);
}

// Whether blocks of the class may be numbered.
inline constexpr SizeClass kFirstNumberedClass = class_of_size(kMinNumberedBytes);
static_assert([] {
  for (unsigned c = index(kFirstNumberedClass); c < kClassCount; ++c)
    if (kClasses.info[c].bytes % kLine != 0) return false;
  return true;
}());
constexpr bool may_be_numbered(SizeClass c) {
  return index(c) >= index(kFirstNumberedClass);
}

constexpr u32 block_at_offset(SizeClass c, usize offset) {
  return static_cast<u32>((offset * info(c).reciprocal) >> 32);
}

}  // namespace bigfoot::rt::heap
