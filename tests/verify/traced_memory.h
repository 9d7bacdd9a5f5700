// The memory that a trace is about: a heap block, globals side by side, or the middle of a mapping
// that is unmapped, mapped over and moved in parts.
#pragma once

#include <cstddef>

enum class MemoryKind { kHeap, kGlobal, kMapped };
inline constexpr int kMemoryKinds = 3;
inline const char* const kMemoryNames[kMemoryKinds] = {"heap", "global", "mapped"};

// What may happen to a mapping. `at` and `bytes` below are whole pages from the start of the traced
// part.
enum class Remapping {
  kUnmapPart,  // [at, at + bytes) is unmapped, and a small mapping takes its place
  kMapTail,    // a large mapping takes the place of everything from `at` on
  kMapHead,    // the same of everything before `at`
  kMove,       // all of it moves
  kMovePart,   // [at, at + bytes) moves away and comes back
  kMoveTail,   // the same of everything from `at` on, a large part
};
inline constexpr int kRemappings = 6;
inline const char* const kRemappingNames[kRemappings] = {"unmap-part", "map-tail",  "map-head",
                                                         "move",       "move-part", "move-tail"};
inline constexpr long kTracedPage = 4096;

// The most bytes that can be traced.
long most_bytes(MemoryKind kind);

class TracedMemory {
 public:
  TracedMemory(MemoryKind kind, long bytes);
  ~TracedMemory();
  TracedMemory(const TracedMemory&) = delete;
  TracedMemory& operator=(const TracedMemory&) = delete;

  unsigned char* data() const { return data_; }
  // Its history ends: the block is freed and another one takes its place, the mapping likewise;
  // that of globals is cleared.
  void renew();
  void remap(Remapping how, long at, long bytes);

 private:
  void acquire();
  void give_back();

  MemoryKind kind_;
  long bytes_;
  unsigned char* data_ = nullptr;
  unsigned char* mapping_ = nullptr;
};
