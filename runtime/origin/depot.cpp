#include "runtime/origin/depot.h"

namespace bigfoot::rt {
namespace {
// Frames carry their path hash; a node for a frame gets a key of its own kind, so that a frame and
// an access at the same place do not meet.
u64 context_key(const abi::Frame* f) {
  return (f->path * 0xD6E8FEB86659FD93ull) & ~u64{1};
}
}  // namespace

void OriginDepot::initialise() {
  nodes_.reserve();
  buckets_.reserve();
}

Origin OriginDepot::find(u64 key) const {
  u32 i = load_acquire(&buckets_[(key >> 20) % kBuckets]);
  while (i != 0 && nodes_[i].key != key) i = nodes_[i].next;
  return Origin{i};
}

// Lock-free: a node is complete before it is linked. Two threads may insert the same key at once;
// both nodes say the same thing, so either may be found later.
Origin OriginDepot::insert(const Node& n) {
  u64 i = fetch_add(&used_, u64{1});
  if (i >= kNodes) {
    store_relaxed(&used_, u64{kNodes});
    return kNoOrigin;
  }
  Node& slot = nodes_[i];
  slot = n;
  u32* bucket = &buckets_[(n.key >> 20) % kBuckets];
  u32 head = load_relaxed(bucket);
  do slot.next = head;
  while (!compare_exchange(bucket, head, static_cast<u32>(i)));
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
  bare.locks = kNoLocks;
  n.locks = kNoLocks;
  n.key = key_of(bare);
  o = find(n.key);
  return o != kNoOrigin ? o : insert(n);
}

usize OriginDepot::stack(Origin o, Pc* out, usize max) const {
  usize n = 0;
  for (; o != kNoOrigin && n < max; o = node(o).parent) out[n++] = node(o).pc;
  return n;
}

}  // namespace bigfoot::rt
