#include "runtime/origin/depot.h"

namespace bigfoot::rt {
namespace {
// Frames carry their path hash; a node for a frame gets a key of its own kind, so that a frame and
// an access at the same place do not meet.
u64 context_key(const abi::Frame* f) {
  return (f->path * 0xD6E8FEB86659FD93ull) & ~u64{1};
}

// A bijection, so nothing of the key is lost; its upper bits depend on all of the key's.
constexpr u64 hash_of(u64 key) {
  return key * 0x9E3779B97F4A7C15ull;
}
constexpr u64 kNodeMask = (u64{1} << OriginDepot::kOriginBits) - 1;
constexpr u64 rest_of(u64 hash) {
  return hash & ((u64{1} << (64 - OriginDepot::kOriginBits)) - 1);
}
}  // namespace

void OriginDepot::initialise() {
  nodes_.reserve();
  slots_.reserve();
  slots_.make_present(0, usize{1} << kFirstSlotBits);
}

u64* OriginDepot::slot(u64 hash, usize probe) {
  const u32 bits = load_relaxed(&slot_bits_);
  return &slots_[((hash >> (64 - bits)) + probe) & ((u64{1} << bits) - 1)];
}

Origin OriginDepot::find(u64 key) {
  const u64 hash = hash_of(key);
  for (usize probe = 0; probe < kProbes; ++probe) {
    const u64 entry = load_acquire(slot(hash, probe));
    if (entry == 0) break;
    if (entry >> kOriginBits == rest_of(hash)) return Origin{static_cast<u32>(entry & kNodeMask)};
  }
  return kNoOrigin;
}

// Lock-free: a node is complete before it can be found. Two threads may place the same key at once;
// both nodes say the same thing, so either may be found later. Where all probes are taken the node
// stays out of the table: it is still the origin of those who have it.
void OriginDepot::place_node(u64 key, u64 node) {
  const u64 hash = hash_of(key);
  for (usize probe = 0; probe < kProbes; ++probe) {
    u64 empty = 0;
    if (compare_exchange(slot(hash, probe), empty, rest_of(hash) << kOriginBits | node)) return;
  }
}

// Half full at most. A growth that another thread overtakes is made up for by the next node.
void OriginDepot::grow(u64 nodes) {
  const u32 bits = load_relaxed(&slot_bits_);
  if (bits >= kMaxSlotBits || nodes <= u64{1} << (bits - 1)) return;
  slots_.make_present(0, usize{1} << (bits + 2));
  store_relaxed(&slot_bits_, bits + 2);
}

Origin OriginDepot::insert(const Node& n) {
  u64 i = fetch_add(&used_, u64{1});
  if (i >= kNodes) {
    store_relaxed(&used_, u64{kNodes});
    return kNoOrigin;
  }
  nodes_[i] = n;
  grow(i);
  place_node(n.key, i);
  return Origin{static_cast<u32>(i)};
}

// The node for a whole frame stack. Iterative: finds the deepest known frame first, then adds the
// missing ones above it. The bottom of the stack is the frame with path 0.
Origin OriginDepot::intern_context(const abi::Frame* frame) {
  const abi::Frame* f = frame;
  Origin known = kNoOrigin;
  while (f->path != 0) {
    known = find(context_key(f));
    if (known != kNoOrigin) break;
    --f;
  }
  while (f != frame) {
    ++f;
    Node n{};
    n.key = context_key(f);
    n.pc = f->return_pc;
    n.parent = known;
    known = insert(n);
    if (known == kNoOrigin) return kNoOrigin;
  }
  return known;
}

Origin OriginDepot::intern(const Place& p, u64 key) {
  Origin o = find(key);
  if (o != kNoOrigin) return o;
  Node n{};
  n.pc = p.pc;
  n.size = p.size;
  n.locks = p.locks;
  n.kind = p.kind;
  n.phase = p.phase;
  if (load_relaxed(&used_) < kContextNodes) {
    n.key = key;
    n.parent = intern_context(p.frame);
    return insert(n);
  }
  fetch_add(&given_up_, u64{1});
  static constexpr abi::Frame kBottom{0, 0};
  Place bare = p;
  bare.frame = &kBottom;
  bare.locks = n.locks = is_first_locks(p.locks) ? p.locks : kNoLocks;
  n.key = key_of(bare);
  o = find(n.key);
  return o != kNoOrigin ? o : insert(n);
}

Origin OriginDepot::part_of(Origin whole, Pc pc, ByteRange bytes) {
  Node n = node(whole);
  n.pc = pc;
  n.size = bytes.size;
  n.phase = phase_of(bytes);
  n.key = ((n.key ^ pc * 0xC2B2AE3D27D4EB4Full) + (n.size << 8 | n.phase)) | 1;
  const Origin known = find(n.key);
  return known != kNoOrigin ? known : insert(n);
}

usize OriginDepot::stack(Origin o, Pc* out, usize max) const {
  usize n = 0;
  for (; o != kNoOrigin && n < max; o = node(o).parent) out[n++] = node(o).pc;
  return n;
}

}  // namespace bigfoot::rt
