#include "runtime/origin/depot.h"

namespace bigfoot::rt {
namespace {
// A bijection, so nothing of the key is lost. Its upper bits depend on all of the key's, and so do
// the lower ones, which are compared: an access' size is in the upper bits of its key only.
constexpr u64 hash_of(u64 key) {
  const u64 product = key * 0x9E3779B97F4A7C15ull;
  return product ^ product >> 32;
}
constexpr u64 kNodeOfEntry = OriginDepot::kNodes - 1;
constexpr unsigned kNodeBits = __builtin_popcountll(kNodeOfEntry);
constexpr u64 entry_of(u64 hash, u64 node) {
  return hash << kNodeBits | node;
}

// The shadow call stack with its marks (abi/layout.h). REQUIRES of all: not the bottom frame.
u64 first_path(const abi::Frame* f) {
  return abi::is_mark(f[-1]) ? f[-1].path : f->path;
}
bool is_own_call(const abi::Frame* f) {
  return f->path != first_path(f);
}
const abi::Frame* caller_of(const abi::Frame* f) {
  return abi::is_mark(f[-1]) ? f - 2 : f - 1;
}
// The next frame towards the innermost one; of a function's own calls the last.
const abi::Frame* callee_of(const abi::Frame* f, const abi::Frame* innermost) {
  const auto next = [](const abi::Frame* from) { return from + (abi::is_mark(from[1]) ? 2 : 1); };
  f = next(f);
  while (f != innermost && is_own_call(f) && is_own_call(next(f))) f = next(f);
  return f;
}
}  // namespace

void OriginDepot::initialise() {
  nodes_.reserve();
  slots_.reserve();
  slot_bits_ = kFirstSlotBits;
  used_ = 1;
  slots_.make_present(0, usize{1} << kFirstSlotBits);
}

OriginDepot::Key OriginDepot::key_of_access(const abi::Frame* f, u64 key) {
  return {hash_of(key), f->path};
}

// Frames carry their path hash; a node for a frame gets a key of its own kind, so that a frame and
// an access at the same place do not meet.
OriginDepot::Key OriginDepot::key_of_context(u64 path) {
  return {hash_of((path * 0xD6E8FEB86659FD93ull) & ~u64{1}), path};
}

template <class Ends>
[[gnu::always_inline]] inline void OriginDepot::each_slot(const Key& key, Ends&& ends) {
  const u32 bits = load_relaxed(&slot_bits_);
  u64* const table = &slots_[first_slot(bits)];
  const u64 line = (key.frame >> (64 - bits)) & ~u64{kLineSlots - 1};
  for (usize i = 0; i < kLineSlots; ++i)
    if (ends(&table[line + i])) return;
  const u64 run = key.hash >> (64 - bits);
  for (usize i = 0; i < kRunSlots; ++i)
    if (ends(&table[(run + i) & ((u64{1} << bits) - 1)])) return;
}

OriginDepot::Found OriginDepot::look_up(const Key& key) {
  Found found{kNoOrigin, nullptr};
  each_slot(key, [&](u64* slot) {
    const u64 entry = load_acquire(slot);
    if (entry == 0) {
      found.empty = slot;
      return true;
    }
    if (entry >> kNodeBits != entry_of(key.hash, 0) >> kNodeBits) return false;
    found.origin = Origin{static_cast<u32>(entry & kNodeOfEntry)};
    return true;
  });
  return found;
}

// Lock-free: a node is complete before it can be found. Two threads may place the same key at once;
// both nodes say the same thing, so either may be found later. Where all slots are taken the node
// stays out of the table: it is still the origin of those who have it.
void OriginDepot::place_node(const Key& key, u32 node) {
  each_slot(key, [&](u64* slot) {
    u64 empty = 0;
    return load_relaxed(slot) == 0 && compare_exchange(slot, empty, entry_of(key.hash, node));
  });
}

// Half full at most. A growth that another thread overtakes is made up for by the next node.
void OriginDepot::grow(u64 nodes) {
  const u32 bits = load_relaxed(&slot_bits_);
  if (bits >= kMaxSlotBits || nodes <= u64{1} << (bits - 1)) return;
  slots_.make_present(first_slot(bits + kGrowthBits), usize{1} << (bits + kGrowthBits));
  store_relaxed(&slot_bits_, bits + kGrowthBits);
}

// `empty` may be of a table that has grown since: then the node is interned once more.
Origin OriginDepot::insert(const Key& key, const Node& n, u64* empty) {
  u64 i = fetch_add(&used_, u64{1});
  if (i >= kNodes) {
    store_relaxed(&used_, u64{kNodes});
    return kNoOrigin;
  }
  if (i == kContextNodes) store_relaxed(&full_, true);
  nodes_[i] = n;
  grow(i);
  const Origin o{static_cast<u32>(i)};
  u64 nothing = 0;
  if (empty == nullptr || !compare_exchange(empty, nothing, entry_of(key.hash, i)))
    place_node(key, raw(o));
  return o;
}

Origin OriginDepot::insert_context(const abi::Frame* f, Origin parent) {
  Node n{};
  n.pc = is_own_call(f) ? kOwnCalls : f->return_pc;
  n.parent = parent;
  return insert(key_of_context(f->path), n);
}

// The node for a whole frame stack. Iterative: finds the innermost known frame first, then adds the
// missing ones above it. The bottom of the stack is the frame with path 0. However deep a
// function's own calls are, they are passed over only once for each call that was not its own.
Origin OriginDepot::intern_context(const abi::Frame* frame) {
  const abi::Frame* f = frame;
  Origin known = kNoOrigin;
  for (; f->path != 0; f = caller_of(f)) {
    known = find(key_of_context(f->path));
    if (known != kNoOrigin) break;
    if (!is_own_call(f)) continue;
    known = find(key_of_context(first_path(f)));
    if (known != kNoOrigin) {
      known = insert_context(f, known);
      break;
    }
    while (is_own_call(f)) f = caller_of(f);
  }
  while (f != frame) {
    f = callee_of(f, frame);
    known = insert_context(f, known);
    if (known == kNoOrigin) return kNoOrigin;
  }
  return known;
}

Origin OriginDepot::intern(const Place& p, u64 key, LatestContext& latest) {
  const Key full = key_of_access(p.frame, key);
  const Found found = look_up(full);
  if (found.origin != kNoOrigin) return found.origin;
  Node n{};
  n.pc = p.pc;
  n.size = p.size;
  n.locks = p.locks;
  n.kind = p.kind;
  n.phase = p.phase;
  if (!load_relaxed(&full_)) {
    const u64 path = p.frame->path;
    n.parent = latest.get(path);
    if (n.parent == kNoOrigin) {
      n.parent = intern_context(p.frame);
      latest.set(path, n.parent);
    }
    return insert(full, n, found.empty);
  }
  fetch_add(&given_up_, u64{1});
  static constexpr abi::Frame kBottom{0, 0};
  Place bare = p;
  bare.frame = &kBottom;
  bare.locks = n.locks = is_first_locks(p.locks) ? p.locks : kNoLocks;
  const Key key_of_bare = key_of_access(bare.frame, key_of(bare));
  const Origin o = find(key_of_bare);
  return o != kNoOrigin ? o : insert(key_of_bare, n);
}

Origin OriginDepot::part_of(Origin whole, Pc pc, ByteRange bytes) {
  Node n = node(whole);
  n.pc = pc;
  n.size = bytes.size;
  n.phase = phase_of(bytes);
  const u64 hash = hash_of(raw(whole) + hash_of(pc ^ hash_of(n.size << 8 | n.phase)));
  const Key key{hash | 1, hash};
  const Origin known = find(key);
  return known != kNoOrigin ? known : insert(key, n);
}

usize OriginDepot::stack(Origin o, Pc* out, usize max) const {
  usize n = 0;
  for (; o != kNoOrigin && n < max; o = node(o).parent) out[n++] = node(o).pc;
  return n;
}

}  // namespace bigfoot::rt
