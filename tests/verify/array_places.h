// Places that access an array, each with its own return address: instrumented code
// (array_places.cpp), driven by array_traces.cpp, which is not.
#pragma once

// Accesses the elements at begin, begin + step, ... of the block; the step may be negative.
using Sweep = void (*)(unsigned char* block, long begin, long step, long count);

enum class Does { kRead, kWrite, kUpdate };
struct PlaceOfAccess {
  Sweep sweep;
  Does does;
  int width;
};
inline constexpr int kPlaces = 26;
extern const PlaceOfAccess places[kPlaces];

// Globals that are arrays, with others between them that are too small, beginning and ending
// anywhere.
struct TracedGlobals {
  long small[16];
  unsigned char bytes[3001];
  short odd[10];
  int words[700];
  char end[50];
};
// Many of them: arrays that have gone to the planes stay there.
inline constexpr int kTracedGlobals = 128;
extern TracedGlobals* const traced_globals[kTracedGlobals];
