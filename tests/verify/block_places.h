// Places that access a small part of a heap block, or all of it, beside those of array_places.h:
// instrumented code (block_places.cpp), driven by block_traces.cpp, which is not.
#pragma once

#include <cstddef>

#include "array_places.h"

// One access, at `begin`; the step and the count are not looked at. Reads, writes and updates of 1,
// 2, 4 and 8 bytes.
inline constexpr int kSinglePlaces = 12;
extern const PlaceOfAccess single_places[kSinglePlaces];
// Loops in which no check can be moved.
inline constexpr int kHotPlaces = 8;
extern const PlaceOfAccess hot_places[kHotPlaces];
// Loops over neighbours, which one check of a range can stand for; the step is not looked at.
inline constexpr int kDensePlaces = 8;
extern const PlaceOfAccess dense_places[kDensePlaces];

// Fields of all sizes with holes between them.
struct MixedFields {
  char a;
  short b;
  int c;
  long d;
  char e[5];  // only the fourth is accessed
  short f;
};
struct FieldOfMixed {
  std::size_t offset, bytes;
};
inline constexpr FieldOfMixed kMixedFields[] = {
    {offsetof(MixedFields, a), 1}, {offsetof(MixedFields, b), 2},     {offsetof(MixedFields, c), 4},
    {offsetof(MixedFields, d), 8}, {offsetof(MixedFields, e) + 3, 1}, {offsetof(MixedFields, f), 2},
};
void read_fields(const unsigned char* at);
void write_fields(unsigned char* at);

// memcpy and memset of so many bytes as is not known before.
void copy_bytes(unsigned char* to, const unsigned char* from, long bytes);
void fill_bytes(unsigned char* at, long bytes);
