#include "runtime/heap/slab.h"

#include "runtime/sys/sys.h"

namespace bigfoot::rt::heap {

Stretch stretch;

namespace {
constexpr usize kLargestStretch = usize{1} << 40;
constexpr usize kSmallestStretch = usize{1} << 26;

constexpr usize facts_bytes(usize stretch_bytes) {
  return stretch_bytes / kSlabBytes * kFactsBytesPerSlab;
}
constexpr usize table_bytes(usize stretch_bytes) {
  return facts_bytes(stretch_bytes) + stretch_bytes / kSlabBytes * sizeof(Slab);
}

void* map_tables(usize stretch_bytes) {
  return sys::map_memory(stretch_bytes + kSlabBytes + table_bytes(stretch_bytes));
}
void unmap_tables(void* p, usize stretch_bytes) {
  sys::unmap_memory(p, stretch_bytes + kSlabBytes + table_bytes(stretch_bytes));
}
}  // namespace

bool Stretch::reserve() {
  usize bytes = kLargestStretch;
  void* at = map_tables(bytes);
  if (at == nullptr) {
    // A limit on address space (or strict overcommit) is in force. The shadow and the program's own
    // mappings have to live under it too: take half of the largest power of two that fits.
    while (at == nullptr && bytes > kSmallestStretch) at = map_tables(bytes /= 2);
    if (at == nullptr) return false;
    if (bytes > kSmallestStretch) {
      unmap_tables(at, bytes);
      at = map_tables(bytes /= 2);
      if (at == nullptr) return false;
    }
  }
  begin_ = (reinterpret_cast<uptr>(at) + kSlabBytes - 1) & ~(kSlabBytes - 1);
  facts_ = reinterpret_cast<BlockFacts*>(begin_ + bytes);
  slabs_ = reinterpret_cast<Slab*>(begin_ + bytes + facts_bytes(bytes));
  store_release(&bytes_, bytes);
  return true;
}

}  // namespace bigfoot::rt::heap
