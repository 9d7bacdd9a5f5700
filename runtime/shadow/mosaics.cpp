#include "runtime/shadow/mosaics.h"

namespace bigfoot::rt {

constinit Mosaics shadow::mosaics;

void Mosaics::initialise() {
  table_.reserve();
  slots_.reserve();
}

u64 Mosaics::hash_of(const Mosaic& m) {
  u64 h = 0;
  for (unsigned i = 0; i < 8; i += 2) {
    h ^= m.of[i] | static_cast<u64>(m.of[i + 1]) << 32;
    h *= 0x9E3779B97F4A7C15ull;
    h ^= h >> 29;
  }
  return h;
}

// A new one, or 0. Nobody waits for anybody here, so that a fork finds nothing half done.
u32 Mosaics::make(const Mosaic& m) {
  if (load_relaxed(&used_) >= raw(kNoMosaic)) return 0;
  const u64 id = fetch_add(&used_, u64{1});
  if (id >= raw(kNoMosaic)) return 0;
  if (id == 1) slots_.make_present(0, (usize{1} << kFirstSlotBits) + kProbes);
  table_[id] = m;
  const unsigned bits = load_relaxed(&slot_bits_);
  if (id >= (u64{1} << bits) / 2 && bits < kMaxSlotBits) store_relaxed(&slot_bits_, bits + 1);
  return static_cast<u32>(id);
}

MosaicId Mosaics::with(MosaicId m, u32 mask, Origin o) {
  Mosaic next = table_[raw(m)];
  for (unsigned i = 0; i < 8; ++i)
    if (mask >> i & 1) next.of[i] = raw(o);
  u32* slot = &slots_[hash_of(next) >> (64 - load_relaxed(&slot_bits_))];
  u32 made = 0;
  for (usize probe = 0; probe < kProbes; ++probe, ++slot) {
    u32 found = load_acquire(slot);
    if (found == 0) {
      if (made == 0) made = make(next);
      if (made == 0) return kNoMosaic;
      if (compare_exchange(slot, found, made)) return MosaicId{made};
      found = load_acquire(slot);
    }
    if (table_[found] == next) return MosaicId{found};
  }
  if (made == 0) made = make(next);  // nobody will find it
  return made == 0 ? kNoMosaic : MosaicId{made};
}

Origin Mosaics::single(MosaicId m) const {
  const Mosaic& mosaic = table_[raw(m)];
  u32 others = 0;
  for (const u32 o : mosaic.of) others |= o ^ mosaic.of[0];
  return others == 0 ? Origin{mosaic.of[0]} : kNoOrigin;
}

MosaicId MosaicSteps::make_all(Origin o) {
  const MosaicId all = with(kEmptyMosaic, 0xff, o);
  if (all != kNoMosaic)
    store_relaxed(&all_[raw(o) % kAlls], raw(o) | static_cast<u64>(raw(all)) << 32);
  return all;
}

MosaicId MosaicSteps::take(Entry& e, u64 key, MosaicId m, u32 mask, Origin o) {
  const MosaicId next = shadow::mosaics.with(m, mask, o);
  if (next == kNoMosaic) return next;
  e.key = 0;  // a signal handler between the stores must not see the new key with the old step
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  e.next = next;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  e.key = key;
  return next;
}

}  // namespace bigfoot::rt
