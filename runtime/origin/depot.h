// The depot of origins: where accesses came from, in 28 bits.
//
// A shadow cell can name the older access of a race because it carries an origin: an interned
// (source position, calling context, kind and size, locks held). The context is the chain of return
// addresses of the shadow call stack, whose hash every frame already carries (abi::Frame::path), so
// interning is one probe for a key that is at hand; only a key never seen before walks the stack,
// and then only down to the first frame that is known. The depot is a calling-context tree:
//
//   node { pc, parent, locks, kind, size, phase }   stack of a node = its pc, its parent's pc, ...
//
// All calls that a function makes of itself are one node, kOwnCalls, whose parent is the call that
// was not its own: their frames have one path (abi/layout.h).
//
// Keys are hashes, of which 39 bits are compared, with those of some five others: with a hundred
// thousand contexts the chance that any two collide is 2 in a million, with ten million 2 in
// 10,000. The damage would be one wrong stack in a report, never a wrong verdict.
//
// The number of contexts is bounded (deep recursion can make exponentially many). Beyond the bound
// an origin keeps position, kind and size and gives up its stack; that is counted and said at exit.
#pragma once

#include "abi/layout.h"
#include "runtime/base/arena.h"
#include "runtime/base/atomic.h"
#include "runtime/detect/access.h"

namespace bigfoot::rt {

// Programs lock, access, unlock, and an unlock ends the epoch: within an epoch locks only come. So
// the epoch says which they are (EpochLocks in sync/lockset.h), and an origin how many of them were
// held, or in rare cases the list itself. Otherwise a program with a lock for each of its objects
// would have as many origins for each access as locks.
inline constexpr u32 kMaxFirstLocks = 255;
constexpr LocksetId first_locks(u32 count) {
  return LocksetId{~count};
}
constexpr bool is_first_locks(LocksetId l) {
  return ~raw(l) <= kMaxFirstLocks;
}
constexpr u32 first_locks_count(LocksetId l) {
  return ~raw(l);
}

// Where an access begins relative to its natural alignment: with its size and any byte of it, this
// gives its first byte (see first_byte). Kept for what instructions access, 64 bytes at most; of a
// longer range no more than its size is kept, or each buffer that is ever filled would be a context
// of its own. Zero for everything that is aligned, so it makes new contexts only where it is
// needed.
inline constexpr u64 kMaxPhaseBytes = 64;
constexpr u8 phase_of(ByteRange bytes) {
  if (bytes.size <= 1 || bytes.size > kMaxPhaseBytes) return 0;
  const u64 period = u64{1} << (64 - __builtin_clzll(bytes.size - 1));
  return static_cast<u8>(bytes.begin & (period - 1));
}
// REQUIRES: 0 < size <= kMaxPhaseBytes; `byte` belongs to an access of this size and phase.
constexpr uptr first_byte(uptr byte, u64 size, u8 phase) {
  const u64 period = size == 1 ? 1 : u64{1} << (64 - __builtin_clzll(size - 1));
  return byte - ((byte - phase) & (period - 1));
}

// An access or call in the program: what an origin is made of.
struct Place {
  Pc pc;
  const abi::Frame* frame;     // innermost frame of the shadow call stack
  LocksetId locks = kNoLocks;  // of most accesses first_locks()
  AccessKind kind = AccessKind::kRead;
  u64 size = 0;
  u8 phase = 0;
};

// The context of the thread's latest new place: the next one is often of the same call. One word,
// upper bits of the path and the node, so that a signal handler cannot come between its halves.
class LatestContext {
 public:
  Origin get(u64 path) const {
    const u64 word = load_relaxed(&word_);
    return (word ^ path) <= kNode ? Origin{static_cast<u32>(word & kNode)} : kNoOrigin;
  }
  void set(u64 path, Origin node) { store_relaxed(&word_, (path & ~kNode) | raw(node)); }

 private:
  static constexpr u64 kNode = (u64{1} << 28) - 1;
  u64 word_ = 0;
};

class OriginDepot {
 public:
  static constexpr unsigned kOriginBits = 28;  // the upper bits of a cell's origin word are flags
  static constexpr usize kNodes = usize{1} << 25;
  static constexpr usize kContextNodes = usize{1} << 23;  // beyond: origins without a stack
  static_assert(kNodes <= (usize{1} << kOriginBits));

  void initialise();

  // A place's key is made of parts, of which most accesses know all but two.
  static constexpr u64 locks_key(LocksetId locks) {
    return (static_cast<u64>(locks) << 8) * kDetailMultiplier;
  }
  static constexpr u64 access_key(AccessKind kind, u64 size, u8 phase) {
    return (static_cast<u64>(kind) + (size << 40) + (u64{phase} << 57)) * kDetailMultiplier;
  }
  // `detail` is the sum of the two former.
  [[gnu::always_inline]] static u64 key_of(Pc pc, u64 path, u64 detail) {
    return (path ^ (pc * 0xC2B2AE3D27D4EB4Full) ^ detail) | 1;
  }
  static u64 key_of(const Place& p) {
    return key_of(p.pc, p.frame->path, locks_key(p.locks) + access_key(p.kind, p.size, p.phase));
  }
  Origin intern(const Place& p) {
    LatestContext none;
    return intern(p, key_of(p), none);
  }
  Origin intern(const Place& p, u64 key, LatestContext& latest);

  // The origin of one of the accesses that `whole` stands for: at `pc`, otherwise the same.
  Origin part_of(Origin whole, Pc pc, ByteRange bytes);

  // The stack of an origin, innermost first, with kOwnCalls behind a function that was called by
  // itself; returns the number of pcs written, at most `max`.
  usize stack(Origin o, Pc* out, usize max) const;
  Pc pc(Origin o) const { return node(o).pc; }
  AccessKind kind(Origin o) const { return node(o).kind; }
  u64 size(Origin o) const { return node(o).size; }
  u8 phase(Origin o) const { return node(o).phase; }
  // As given: perhaps first_locks().
  LocksetId locks(Origin o) const { return node(o).locks; }

  u64 contexts() const { return load_relaxed(&used_); }
  u64 stacks_given_up() const { return load_relaxed(&given_up_); }

 private:
  static constexpr u64 kDetailMultiplier = 0x165667B19E3779F9ull;
  struct Node {
    Pc pc;
    u64 size;
    Origin parent;
    LocksetId locks;
    AccessKind kind;
    u8 phase;
  };
  // What a node is found by.
  struct Key {
    u64 hash;
    u64 frame;  // hash of the path
  };
  // Where the nodes are: | lower part of the hash : 39 | node : 25 |. A call does most of its
  // accesses for the first time together, so each frame has a line of the cache in the table, for
  // itself and the first seven of them: one miss for them all. Who finds no place there goes to a
  // run of slots by its own hash.
  //
  // The table begins small, since a small one is in the cache, and grows with the nodes. Growing
  // moves nothing: each size has slots of its own, and a node of a smaller one is interned once
  // more when it is met again; its twin says the same thing. (To look there as well cost new nodes
  // as much as the lines save them.)
  static constexpr unsigned kMaxSlotBits = 25;
  static constexpr unsigned kFirstSlotBits = 13;
  static constexpr unsigned kGrowthBits = 2;
  static constexpr usize kLineSlots = 8;
  static constexpr usize kRunSlots = 64;  // lines are full side by side; most runs end at once
  static constexpr usize first_slot(u32 bits) {  // after all smaller tables
    return ((usize{1} << bits) - (usize{1} << kFirstSlotBits)) / ((1u << kGrowthBits) - 1);
  }

  static Key key_of_access(const abi::Frame* f, u64 key);
  static Key key_of_context(u64 path);

  const Node& node(Origin o) const { return nodes_[raw(o)]; }
  // The slots where the key may be, in the order in which they are filled, until one
  // ends the search.
  template <class Ends>
  void each_slot(const Key& key, Ends&& ends);
  void grow(u64 nodes);
  struct Found {
    Origin origin;
    u64* empty;  // if it was not found: the slot for it, if there is one
  };
  Found look_up(const Key& key);
  Origin find(const Key& key) { return look_up(key).origin; }
  void place_node(const Key& key, u32 node);
  Origin insert(const Key& key, const Node& n, u64* empty = nullptr);
  Origin insert_context(const abi::Frame* frame, Origin parent);
  Origin intern_context(const abi::Frame* frame);

  ReservedTable<Node, kNodes> nodes_;
  ReservedTable<u64, usize{3} << (kMaxSlotBits - 1)> slots_;  // all tables: 4/3 of the largest
  u32 slot_bits_ = 0;  // this and used_: zero until initialise()
  bool full_ = false;  // no more contexts
  // In a line of its own: each new node of each thread changes it, and each access that is not
  // among the thread's recent ones reads what is above.
  alignas(64) u64 used_ = 0;  // node 0 is "unknown"
  u64 given_up_ = 0;
};

// The calling thread's recent origins: most accesses repeat a place they came from before.
class OriginCache {
 public:
  // 32 KiB: what falls out costs a cache miss or two in the depot's table (LevelDB: a sixth of the
  // time with 256 entries). Sets of two: in programs of some hundred places single entries missed
  // 100,000 times (btree_store) and 300,000 times (event_sim), because two of them took turns.
  static constexpr unsigned kIndexBits = 10;
  static constexpr usize kSets = usize{1} << kIndexBits;
  // The place's origin if it is one of the recent ones, or none.
  [[gnu::always_inline]] Origin peek(const Place& p) const { return peek(OriginDepot::key_of(p)); }
  [[gnu::always_inline]] Origin peek(u64 key) const {
    const Set& s = sets_[index(key)];
    if (BF_LIKELY(s.latest.key == key)) return s.latest.origin;
    return s.older.key == key ? s.older.origin : kNoOrigin;
  }
  Origin get(OriginDepot& depot, const Place& p) {
    const u64 key = OriginDepot::key_of(p);
    if (const Origin known = peek(key); BF_LIKELY(known != kNoOrigin)) return known;
    const Origin o = depot.intern(p, key, context_);
    Set& s = sets_[index(key)];
    s.older.become(s.latest.key, s.latest.origin);
    s.latest.become(key, o);
    return o;
  }

 private:
  struct Entry {
    u64 key;
    Origin origin;

    // A signal handler in between must not see the new key with the old origin.
    void become(u64 new_key, Origin new_origin) {
      key = 0;
      __atomic_signal_fence(__ATOMIC_SEQ_CST);
      origin = new_origin;
      __atomic_signal_fence(__ATOMIC_SEQ_CST);
      key = new_key;
    }
  };
  struct Set {
    Entry latest;
    Entry older;
  };

  // From all bits of the key: its upper ones alone would have put a fifth of five hundred calls at
  // regular distances where two others are.
  static constexpr usize index(u64 key) { return key * 0x9E3779B97F4A7C15ull >> (64 - kIndexBits); }

  Set sets_[kSets];
  LatestContext context_;
};

}  // namespace bigfoot::rt
