#include "block_places.h"

#include <string.h>

namespace {

template <class T>
struct __attribute__((may_alias)) Element {
  T value;
};
template <class T>
Element<T>& element(unsigned char* at) {
  return *reinterpret_cast<Element<T>*>(at);
}
struct __attribute__((may_alias)) Fields : MixedFields {};

// The value matters, and is not written anywhere.
void use(long value) {
  asm volatile("" ::"r"(value));
}

template <class T>
[[gnu::noinline]] void read_one(unsigned char* block, long begin, long, long) {
  use(element<T>(block + begin).value);
}
template <class T>
[[gnu::noinline]] void write_one(unsigned char* block, long begin, long, long) {
  element<T>(block + begin).value = 7;
}
template <class T>
[[gnu::noinline]] void update_one(unsigned char* block, long begin, long, long) {
  element<T>(block + begin).value += 7;
}

// What the compiler does not understand may synchronise: the checks stay with the accesses.
template <class T>
[[gnu::noinline]] void read_hot(unsigned char* block, long begin, long step, long count) {
  for (long i = 0; i < count; ++i) {
    use(element<T>(block + begin + i * step).value);
    asm volatile("" ::: "memory");
  }
}
template <class T>
[[gnu::noinline]] void write_hot(unsigned char* block, long begin, long step, long count) {
  for (long i = 0; i < count; ++i) {
    element<T>(block + begin + i * step).value = static_cast<T>(i);
    asm volatile("" ::: "memory");
  }
}

template <class T>
[[gnu::noinline]] void read_dense(unsigned char* block, long begin, long, long count) {
  const Element<T>* elements = &element<T>(block + begin);
  long sum = 0;
  for (long i = 0; i < count; ++i) sum += elements[i].value;
  use(sum);
}
template <class T>
[[gnu::noinline]] void write_dense(unsigned char* block, long begin, long, long count) {
  Element<T>* elements = &element<T>(block + begin);
  for (long i = 0; i < count; ++i) elements[i].value = static_cast<T>(i);
}

}  // namespace

const PlaceOfAccess single_places[kSinglePlaces] = {
    {read_one<char>, Does::kRead, 1},     {read_one<short>, Does::kRead, 2},
    {read_one<int>, Does::kRead, 4},      {read_one<long>, Does::kRead, 8},
    {write_one<char>, Does::kWrite, 1},   {write_one<short>, Does::kWrite, 2},
    {write_one<int>, Does::kWrite, 4},    {write_one<long>, Does::kWrite, 8},
    {update_one<char>, Does::kUpdate, 1}, {update_one<short>, Does::kUpdate, 2},
    {update_one<int>, Does::kUpdate, 4},  {update_one<long>, Does::kUpdate, 8},
};
const PlaceOfAccess hot_places[kHotPlaces] = {
    {read_hot<char>, Does::kRead, 1},   {read_hot<short>, Does::kRead, 2},
    {read_hot<int>, Does::kRead, 4},    {read_hot<long>, Does::kRead, 8},
    {write_hot<char>, Does::kWrite, 1}, {write_hot<short>, Does::kWrite, 2},
    {write_hot<int>, Does::kWrite, 4},  {write_hot<long>, Does::kWrite, 8},
};
const PlaceOfAccess dense_places[kDensePlaces] = {
    {read_dense<char>, Does::kRead, 1},   {read_dense<short>, Does::kRead, 2},
    {read_dense<int>, Does::kRead, 4},    {read_dense<long>, Does::kRead, 8},
    {write_dense<char>, Does::kWrite, 1}, {write_dense<short>, Does::kWrite, 2},
    {write_dense<int>, Does::kWrite, 4},  {write_dense<long>, Does::kWrite, 8},
};

[[gnu::noinline]] void read_fields(const unsigned char* at) {
  const Fields& s = *reinterpret_cast<const Fields*>(at);
  use(s.a + s.b + s.c + s.d + s.e[3] + s.f);
}
[[gnu::noinline]] void write_fields(unsigned char* at) {
  Fields& s = *reinterpret_cast<Fields*>(at);
  s.a = 1;
  s.b = 2;
  s.c = 3;
  s.d = 4;
  s.e[3] = 5;
  s.f = 6;
}

[[gnu::noinline]] void copy_bytes(unsigned char* to, const unsigned char* from, long bytes) {
  memcpy(to, from, static_cast<size_t>(bytes));
}
[[gnu::noinline]] void fill_bytes(unsigned char* at, long bytes) {
  memset(at, 3, static_cast<size_t>(bytes));
}
