#include "traced_memory.h"

#include <bigfoot/lard.h>
#include <sys/mman.h>

#include <cstdio>
#include <cstdlib>

#include "array_places.h"

namespace {

// Large enough on both sides of the traced part for an array of its own there.
constexpr long kBefore = 20 * kTracedPage, kTraced = 4 * kTracedPage, kBehind = 20 * kTracedPage;
constexpr long kMapping = kBefore + kTraced + kBehind;

int next_globals = 0;

void require(bool ok, const char* what) {
  if (ok) return;
  std::perror(what);
  std::exit(2);
}

unsigned char* map(void* at, long bytes, int protection = PROT_READ | PROT_WRITE) {
  const int fixed = at == nullptr ? 0 : MAP_FIXED;
  void* p = mmap(at, static_cast<std::size_t>(bytes), protection,
                 MAP_PRIVATE | MAP_ANONYMOUS | fixed, -1, 0);
  require(p != MAP_FAILED, "mmap");
  return static_cast<unsigned char*>(p);
}
void unmap(void* p, long bytes) {
  require(munmap(p, static_cast<std::size_t>(bytes)) == 0, "munmap");
}
// The old place stays mapped: whatever the run time maps meanwhile must not come to lie there.
bool try_move(unsigned char* from, unsigned char* to, long bytes) {
  const int flags = MREMAP_MAYMOVE | MREMAP_FIXED | MREMAP_DONTUNMAP;
  const auto size = static_cast<std::size_t>(bytes);
  return mremap(from, size, size, flags, to) == to;
}
// The kernel moves one mapping at a time; by now there may be one for each page.
void move(unsigned char* from, unsigned char* to, long bytes) {
  if (try_move(from, to, bytes)) return;
  for (long page = 0; page < bytes; page += kTracedPage)
    require(try_move(from + page, to + page, kTracedPage), "mremap");
}
void away_and_back(unsigned char* part, long bytes) {
  unsigned char* elsewhere = map(nullptr, bytes, PROT_NONE);
  move(part, elsewhere, bytes);
  move(elsewhere, part, bytes);
  unmap(elsewhere, bytes);
}

}  // namespace

long most_bytes(MemoryKind kind) {
  if (kind == MemoryKind::kGlobal) return sizeof(TracedGlobals);
  return kind == MemoryKind::kMapped ? kTraced : 8024;
}

TracedMemory::TracedMemory(MemoryKind kind, long bytes) : kind_(kind), bytes_(bytes) {
  acquire();
}
TracedMemory::~TracedMemory() {
  give_back();
}

void TracedMemory::acquire() {
  switch (kind_) {
    case MemoryKind::kHeap:
      data_ = static_cast<unsigned char*>(malloc(static_cast<std::size_t>(bytes_)));
      break;
    case MemoryKind::kGlobal:
      data_ = reinterpret_cast<unsigned char*>(traced_globals[next_globals++ % kTracedGlobals]);
      break;
    case MemoryKind::kMapped:
      mapping_ = map(nullptr, kMapping);
      data_ = mapping_ + kBefore;
      break;
  }
}

void TracedMemory::give_back() {
  switch (kind_) {
    case MemoryKind::kHeap:
      free(data_);
      break;
    case MemoryKind::kGlobal:
      bf_lard_clear(data_, static_cast<std::size_t>(bytes_));
      break;
    case MemoryKind::kMapped:
      unmap(mapping_, kMapping);
      break;
  }
}

void TracedMemory::renew() {
  give_back();
  acquire();
}

void TracedMemory::remap(Remapping how, long at, long bytes) {
  unsigned char* part = data_ + at;
  const long head = part - mapping_, tail = kMapping - head;
  switch (how) {
    case Remapping::kUnmapPart:
      unmap(part, bytes);
      map(part, bytes);
      break;
    case Remapping::kMapTail:
      map(part, tail);
      break;
    case Remapping::kMapHead:
      map(mapping_, head);
      break;
    case Remapping::kMove: {
      unsigned char* elsewhere = map(nullptr, kMapping, PROT_NONE);
      // Races that are found now are at the old place.
      move(mapping_, elsewhere, kMapping);
      unmap(mapping_, kMapping);
      mapping_ = elsewhere;
      data_ = mapping_ + kBefore;
      break;
    }
    case Remapping::kMovePart:
      away_and_back(part, bytes);
      break;
    case Remapping::kMoveTail:
      away_and_back(part, tail);
      break;
  }
}
