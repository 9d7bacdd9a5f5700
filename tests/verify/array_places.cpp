#include "array_places.h"

#include <string.h>

namespace {

// At any address, whatever else is there.
template <class T>
struct __attribute__((packed, may_alias)) Unaligned {
  T value;
};
template <class T>
struct __attribute__((may_alias)) Aligned {
  T value;
};
struct __attribute__((may_alias)) Pair {
  long first, second;
};

thread_local long sink;

// kCopy: the same again at other places.
template <class Element, int kCopy>
[[gnu::noinline]] void read_all(unsigned char* block, long begin, long step, long count) {
  for (long i = 0; i < count; ++i)
    sink += reinterpret_cast<const Element*>(block + begin + i * step)->value + kCopy;
}
template <class Element, int kCopy>
[[gnu::noinline]] void write_all(unsigned char* block, long begin, long step, long count) {
  for (long i = 0; i < count; ++i)
    reinterpret_cast<Element*>(block + begin + i * step)->value = static_cast<char>(i + kCopy);
}
template <class Element>
[[gnu::noinline]] void update_all(unsigned char* block, long begin, long step, long count) {
  for (long i = 0; i < count; ++i) reinterpret_cast<Element*>(block + begin + i * step)->value += 1;
}
// Fields side by side, which one check may stand for.
[[gnu::noinline]] void read_pairs(unsigned char* block, long begin, long step, long count) {
  for (long i = 0; i < count; ++i) {
    const Pair& p = *reinterpret_cast<const Pair*>(block + begin + i * step);
    sink += p.first + p.second;
  }
}
[[gnu::noinline]] void write_pairs(unsigned char* block, long begin, long step, long count) {
  for (long i = 0; i < count; ++i) {
    Pair& p = *reinterpret_cast<Pair*>(block + begin + i * step);
    p.first = i;
    p.second = -i;
  }
}
[[gnu::noinline]] void fill_all(unsigned char* block, long begin, long step, long count) {
  for (long i = 0; i < count; ++i) memset(block + begin + i * step, static_cast<int>(i), 48);
}
[[gnu::noinline]] void copy_all(unsigned char* block, long begin, long step, long count) {
  unsigned char private_copy[24];
  for (long i = 0; i < count; ++i) {
    memcpy(private_copy, block + begin + i * step, sizeof private_copy);
    sink += private_copy[i % 24];
  }
}

}  // namespace

const PlaceOfAccess places[kPlaces] = {
    {read_all<Aligned<char>, 0>, Does::kRead, 1},
    {read_all<Aligned<short>, 0>, Does::kRead, 2},
    {read_all<Aligned<int>, 0>, Does::kRead, 4},
    {read_all<Aligned<int>, 1>, Does::kRead, 4},
    {read_all<Aligned<long>, 0>, Does::kRead, 8},
    {read_all<Aligned<long>, 1>, Does::kRead, 8},
    {read_all<Aligned<long>, 2>, Does::kRead, 8},
    {read_all<Unaligned<int>, 0>, Does::kRead, 4},
    {read_all<Unaligned<long>, 0>, Does::kRead, 8},
    {write_all<Aligned<char>, 0>, Does::kWrite, 1},
    {write_all<Aligned<short>, 0>, Does::kWrite, 2},
    {write_all<Aligned<int>, 0>, Does::kWrite, 4},
    {write_all<Aligned<int>, 1>, Does::kWrite, 4},
    {write_all<Aligned<long>, 0>, Does::kWrite, 8},
    {write_all<Aligned<long>, 1>, Does::kWrite, 8},
    {write_all<Aligned<long>, 2>, Does::kWrite, 8},
    {write_all<Unaligned<short>, 0>, Does::kWrite, 2},
    {write_all<Unaligned<long>, 0>, Does::kWrite, 8},
    {update_all<Aligned<char>>, Does::kUpdate, 1},
    {update_all<Aligned<int>>, Does::kUpdate, 4},
    {update_all<Aligned<long>>, Does::kUpdate, 8},
    {update_all<Unaligned<int>>, Does::kUpdate, 4},
    {read_pairs, Does::kRead, 16},
    {write_pairs, Does::kWrite, 16},
    {fill_all, Does::kWrite, 48},
    {copy_all, Does::kRead, 24},
};

// Each is a global of its own.
template <int kNumber>
TracedGlobals instance;
#define BF_TWO(n) &instance<n>, &instance<n + 1>
#define BF_EIGHT(n) BF_TWO(n), BF_TWO(n + 2), BF_TWO(n + 4), BF_TWO(n + 6)
#define BF_THIRTY_TWO(n) BF_EIGHT(n), BF_EIGHT(n + 8), BF_EIGHT(n + 16), BF_EIGHT(n + 24)
TracedGlobals* const traced_globals[kTracedGlobals] = {BF_THIRTY_TWO(0), BF_THIRTY_TWO(32),
                                                       BF_THIRTY_TWO(64), BF_THIRTY_TWO(96)};
