// What instrumented code calls when its inlined test did not settle an access.
//
// The entry points keep all general registers (see abi/entry_points.def), so if they call something
// that does not, they save them all on the way in. Therefore the shortcut (detect/quick.h) is
// inlined into them. It still needs nearly all registers itself, 13 saves; that is where the next
// gain is. When anything is out of the ordinary, it gives up before it has changed anything, and
// the full path, which keeps registers itself, does the access.
#pragma once

#include "runtime/context/arrays.h"
#include "runtime/context/memory_limit.h"
#include "runtime/context/runtime.h"
#include "runtime/detect/quick_range.h"

namespace bigfoot::rt {

template <bool kWrites>
constexpr AccessKind kind_of() {
  return kWrites ? AccessKind::kWrite : AccessKind::kRead;
}

// What an access to a half or a quarter of a word with a history makes of it.
enum class Pieces : u8 {
  kByMask,   // it is kept by masks (shadow/masked.h)
  kInCells,  // it is divided: the access has an inlined test, which looks for a cell in its plane
};

// An access by the full rules, whatever state the thread and the address are in.
template <unsigned G, bool kWrites>
BF_SPARE void full_access(uptr a, Pc pc);
BF_SPARE void full_range(ByteRange bytes, AccessKind kind, Pc pc);

// The shortcut for accesses that are not one piece in the plane of their size: to bytes of a word
// that is divided otherwise, or of two words. False: the full path does the access.
template <unsigned G, bool kWrites>
BF_SPARE bool access_in_parts(uptr a, Pc pc, Pieces pieces);

BF_SPARE void deliver_pending_signals_sparing();
// quick_rules() for a cell with these halves, if nothing has to be collected.
template <bool kWrites>
BF_SPARE Quick try_rules(const PendingAccess& p, Cell* cell, u64 write, u64 read);
// has_usual_claim() where the claim is not the usual one yet. Apart, because it keeps the registers
// that those who ask would have to save otherwise.
BF_SPARE bool make_usual_claim(u32* claim);
// Whether nothing has to be told of the epoch any more (is_usual); `usual` of the thread says so
// then.
// REQUIRES: inside the run time.
BF_SPARE bool make_usual();
// The origin of a place that the thread has not been at lately.
BF_SPARE Origin new_origin(Thread& t, Pc pc, AccessKind kind, ByteRange bytes);

namespace detail {

// Inside the run time for a few instructions that do not wait for anybody. False if somebody
// collects: who enters then has to wait.
[[gnu::always_inline]] inline bool enter_quickly() {
  ++__bf_thread.inside;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);  // in this order; the collector's barrier does the rest
  return load_relaxed(&__bf_paused) == 0;
}
[[gnu::always_inline]] inline void leave_quickly() {
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  if (--__bf_thread.inside == 0 && BF_UNLIKELY(__bf_thread.signal_pending != 0))
    deliver_pending_signals_sparing();
}

// Whether a cell's read word tells of a read of this epoch: its stamp, or a set of reads that is
// known to contain it.
[[gnu::always_inline]] inline bool is_known_read(u32 read) {
  return load_relaxed(&__bf_thread.known_reads[abi::known_index(read)]) == read;
}

// Until the epoch ends. A cell's own set keeps its name when the thread reads in place, and has the
// read of this epoch from then on: only the thread itself changes its entry.
[[gnu::always_inline]] inline void know_set(u32 read, Thread& t) {
  __bf_thread.known_reads[abi::known_index(read)] = read;
  t.knows_sets = true;
}
// If the piece is read by a set that contains this epoch, which is the answer, instrumented code
// may know.
[[gnu::always_inline]] inline bool remember_set(u32 read, Thread& t) {
  if (!names_set(read) || !set_contains(runtime.sets, read, observer(t))) return false;
  know_set(read, t);
  return true;
}

// Before the first record in fresh shadow; see shadow/planes.h.
template <unsigned G>
void make_room(uptr a) {
  usize pages = 1;
  if (BF_UNLIKELY(shadow::is_fresh<8>(a))) pages += shadow::make_present<8>(a);
  if constexpr (G != 8)
    if (BF_UNLIKELY(shadow::is_fresh<G>(a))) pages += shadow::make_present<G>(a);
  note_shadow_growth(pages);
}
// The same for some bytes of a word, which is divided for them.
inline void make_room_for(ByteRange piece) {
  const bool aligned = (piece.begin & (piece.size - 1)) == 0;
  if (aligned && piece.size == 8) return make_room<8>(piece.begin);
  if (aligned && piece.size == 4) return make_room<4>(piece.begin);
  if (aligned && piece.size == 2) return make_room<2>(piece.begin);
  make_room<1>(piece.begin);
}

// The inlined test of a read, for pieces that come as part of a range.
template <unsigned G>
[[gnu::always_inline]] inline bool read_is_settled(uptr a) {
  const Cell* cell = shadow::cell_if_present<G>(a);
  return cell != nullptr && is_known_read(load_relaxed(&cell->read));
}

// Whether a cell tells of such an access of this epoch.
template <bool kWrites>
[[gnu::always_inline]] inline bool tells_of_epoch(const Cell* cell) {
  if constexpr (kWrites) return load_relaxed(&cell->write) == __bf_thread.stamp;
  return is_known_read(load_relaxed(&cell->read));
}

// The test that instrumented code has inlined, step by step (frontends/llvm/epoch_test.cpp).
template <unsigned G, bool kWrites>
[[gnu::always_inline]] inline bool inlined_test(uptr a) {
  if (BF_UNLIKELY((a & (G - 1)) != 0)) return false;
  const u64 cells = shadow::detail::cells_of<G>(a);
  if (BF_UNLIKELY(cells == 0)) return false;
  return tells_of_epoch<kWrites>(shadow::detail::cell_from<G>(cells, a));
}

// The same of the word that a piece is in: one that was accessed as a whole, as what is copied or
// zeroed is. (The inlined test looks where the piece would have a history of its own.)
template <unsigned G, bool kWrites>
[[gnu::always_inline]] inline bool word_is_settled(uptr a) {
  // A thread that runs alone finds every word so, and has to let its inlined tests find the piece.
  if (G == 8 || __bf_thread.stamp == abi::kStampSingle) return false;
  return ((a ^ (a + G - 1)) & ~uptr{7}) == 0 && inlined_test<8, kWrites>(a & ~uptr{7});
}

// Does something inside the run time that waits for nobody and returns whether it was done; false
// also if the thread is inside already, or has to wait. Signals that came meanwhile still wait
// afterwards. The count is stored, as it is known: counting up and down again, as enter_quickly()
// does, would make each access wait for the one before.
template <class F>
[[gnu::always_inline]] inline bool do_inside(F&& f) {
  if (BF_UNLIKELY(__bf_thread.inside != 0)) return false;
  store_relaxed(&__bf_thread.inside, u32{1});
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  const bool done = BF_LIKELY(load_relaxed(&__bf_paused) == 0) && f();
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  store_relaxed(&__bf_thread.inside, u32{0});
  return done;
}

// The epoch's own claim, or that of one of its earlier ones, which becomes its own.
[[gnu::always_inline]] inline bool keep_claim(u32* claim, u32 mine) {
  u32 seen = load_relaxed(claim);
  if (BF_LIKELY(seen == mine)) return true;
  return StampTable::same_chunk(Stamp{seen}, Stamp{mine}) && compare_exchange(claim, seen, mine);
}

// The same for an epoch of which nothing has to be told first. Records need not be counted then.
[[gnu::always_inline]] inline bool has_usual_claim(u32* claim) {
  if (BF_LIKELY(load_relaxed(claim) == __bf_thread.usual)) {
    BF_DCHECK(is_usual(*thread_or_null()) && __bf_thread.usual == raw(thread_or_null()->stamp));
    return true;
  }
  return make_usual_claim(claim);
}

template <unsigned G>
inline constexpr u32 kPiecesMark = G == 8 ? 0 : Division::pieces(G == 8 ? 1 : G).mark();

// The claim of the block, at a look from outside.
[[gnu::always_inline]] inline u32 claim_of(uptr a) {
  if (BF_UNLIKELY(a >> abi::kAddressBits != 0)) return shadow::kShared;
  const u64 claims = load_relaxed(&shadow::claim_directory[a >> abi::kRegionBits]);
  return BF_LIKELY(claims != 0) ? load_relaxed(shadow::claim_from(claims, a)) : shadow::kUnclaimed;
}
// Whether the block's claim, an earlier epoch's of the thread, is now that of its epoch.
[[gnu::always_inline]] inline bool try_claim(uptr a) {
  const u32 claim = claim_of(a);
  if (!shadow::is_epoch(claim)) return false;
  return do_inside([&]() __attribute__((always_inline)) {
    u32* const word = shadow::claim_word(a);
    const u32 mine = __bf_thread.stamp;
    return BF_LIKELY(__bf_thread.usual == mine) ? keep_claim(word, mine) : make_usual_claim(word);
  });
}

// What a piece of G bytes finds in the cell of its word.
enum class Look : u8 {
  kOther,    // its own cell in the plane of its size, or nothing to tell yet
  kSettled,  // this epoch has accessed so the word, its bytes by mask, or all parts it consists of
  kParts,    // its word is divided
  kByMask,   // its word is kept by masks, or is to be
};
// At the first look, which tells of no part but one that is the piece. In few registers.
template <unsigned G, bool kWrites, Pieces kPieces>
[[gnu::always_inline]] inline Look first_look(uptr a) {
  if (BF_UNLIKELY((a & (G - 1)) != 0)) return Look::kOther;
  const u64 words = shadow::detail::cells_of<8>(a);
  const u32 mine = __bf_thread.stamp;
  // A thread that runs alone has to let its inlined tests find the piece.
  if (BF_UNLIKELY(words == 0 || mine == abi::kStampSingle)) return Look::kOther;
  const Cell* word = shadow::detail::cell_from<8>(words, a);
  const u32 mark = load_relaxed(&word->write);
  constexpr bool kMasks = G == 1 || G == 8 || kPieces == Pieces::kByMask;
  if (is_masked(mark)) {
    if (is_settled_by_mask<kWrites>(word, mask_of(a, G), mine)) return Look::kSettled;
    return kMasks ? Look::kByMask : Look::kOther;
  }
  if constexpr (G == 8) return Look::kOther;
  if (is_special(mark)) {
    if (G != 1 && mark == kPiecesMark<G>) return Look::kOther;
    if (!is_part<G>(mark, a & 7)) return Look::kParts;
    const u64 bytes = shadow::detail::cells_of<1>(a);
    if (bytes == 0 || !tells_of_epoch<kWrites>(shadow::detail::cell_from<1>(bytes, a)))
      return Look::kOther;
    // A handler of a signal may have divided the word otherwise meanwhile.
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    return load_relaxed(&word->write) == mark ? Look::kSettled : Look::kOther;
  }
  const u32 read = load_relaxed(&word->read);
  if (kWrites ? mark == mine : is_known_read(read)) return Look::kSettled;
  return kMasks && (G == 1 || (mark | read) != 0) ? Look::kByMask : Look::kOther;
}
// What is behind kParts.
template <unsigned G, bool kWrites>
[[gnu::always_inline]] inline Look look_into_parts(uptr a) {
  const Parts parts =
      rt::look_at_parts<G>(a, [](const Cell* cell) { return tells_of_epoch<kWrites>(cell); });
  if (parts == Parts::kNone) return Look::kOther;
  return parts == Parts::kSettled ? Look::kSettled : Look::kParts;
}

// The calling thread if it checks accesses and [a, a + G) is an aligned piece of user memory.
template <unsigned G>
[[gnu::always_inline]] inline Thread* ordinary(uptr a) {
  constexpr uptr kWrong = ~((uptr{1} << abi::kAddressBits) - 1) | (G - 1);
  Thread* t = thread_or_null();
  bool rare = t == nullptr || __bf_thread.stamp == abi::kStampSingle || (a & kWrong) != 0;
  return BF_UNLIKELY(rare || t->ignore_accesses != 0) ? nullptr : t;
}

[[gnu::always_inline]] inline Origin quick_origin(Thread& t, Pc pc, AccessKind kind,
                                                  ByteRange bytes) {
  Origin o = t.origins.peek(place(t, pc, kind, bytes));
  return BF_LIKELY(o != kNoOrigin) ? o : new_origin(t, pc, kind, bytes);
}
// The same for a naturally aligned access: its phase is zero, whatever the address.
template <unsigned G>
[[gnu::always_inline]] inline Origin quick_origin(Thread& t, Pc pc, AccessKind kind) {
  return quick_origin(t, pc, kind, {0, G});
}

// The same if it is one of the thread's recent ones, or none. REQUIRES: is_usual(t).
[[gnu::always_inline]] inline Origin recent_origin(const Thread& t, Pc pc, AccessKind kind,
                                                   ByteRange bytes) {
  const u64 access = OriginDepot::access_key(kind, bytes.size, phase_of(bytes));
  return t.origins.peek(OriginDepot::key_of(pc, __bf_thread.frame->path, t.locks_key + access));
}
template <unsigned G, bool kWrites>
[[gnu::always_inline]] inline Origin recent_origin(const Thread& t, Pc pc) {
  return recent_origin(t, pc, kind_of<kWrites>(), {0, G});
}

// What the shortcut asks for the rules.
template <bool kWrites>
struct RulesOf {
  Thread& thread;
  ByteRange bytes;
  AccessKind kind;
  Pc pc;
  Pieces pieces = Pieces::kByMask;
  Origin origin = kNoOrigin;  // of an access that lies back
  [[gnu::always_inline]] Quick operator()(Cell* cell, const Cell& c) const {
    return try_rules<kWrites>({thread, bytes, kind, pc, origin}, cell,
                              c.write | static_cast<u64>(c.write_origin) << 32,
                              c.read | static_cast<u64>(c.read_origin) << 32);
  }
  [[gnu::always_inline]] bool shared(u32 read) const {
    if (!remember_set(read, thread)) return false;
    ++thread.rule_counts[static_cast<usize>(Rule::kReadShared)];
    return true;
  }
  bool still_recorded(const Cell* cell) const {
    return rt::still_recorded(cell, observer(thread), runtime.sets);
  }
  MosaicSteps* steps() const { return &thread.mosaic_steps; }
  bool wants_masks() const { return pieces == Pieces::kByMask; }
};

// `bytes` is the access that the piece is part of.
template <unsigned G, bool kWrites, class OriginSource>
[[gnu::always_inline]] inline Quick quick_piece(Thread& t, uptr a, OriginSource&& origin, Pc pc,
                                                ByteRange bytes, Pieces pieces = Pieces::kByMask) {
  Quick q = quick_access<G, kWrites>(a, observer(t), origin,
                                     RulesOf<kWrites>{t, bytes, kind_of<kWrites>(), pc, pieces});
  if (BF_UNLIKELY(q == Quick::kMisplaced)) note_recorded(t);
  if (q != Quick::kRecorded) return q;
  note_recorded(t);
  ++t.rule_counts[static_cast<usize>(kWrites ? Rule::kWriteExclusive : Rule::kReadExclusive)];
  return q;
}

template <unsigned G, bool kWrites>
[[gnu::always_inline]] inline Quick try_quickly(uptr a, Pc pc, Pieces pieces) {
  constexpr AccessKind kKind = kWrites ? AccessKind::kWrite : AccessKind::kRead;
  Thread* t = ordinary<G>(a);
  if (BF_UNLIKELY(t == nullptr)) return Quick::kNotQuick;
  Quick q = Quick::kNotQuick;
  if (BF_LIKELY(enter_quickly()))
    q = quick_piece<G, kWrites>(
        *t, a, [&] { return quick_origin<G>(*t, pc, kKind); }, pc, {0, G}, pieces);
  leave_quickly();
  return q;
}

// The commonest outcome of all, in as few registers as it takes: the first access of an epoch to a
// piece with a cell of its own, mostly where its inlined test looks, in a block that the epoch has
// claimed, from a place that the thread has been at lately. False: nothing was done. Signals that
// came meanwhile still wait then.
template <unsigned G, bool kWrites>
[[gnu::always_inline]] inline bool try_claimed(uptr a, Pc pc) {
  constexpr uptr kWrong = ~((uptr{1} << abi::kAddressBits) - 1) | (G - 1);
  if (BF_UNLIKELY((a & kWrong) != 0)) return false;
  return do_inside([&]() __attribute__((always_inline)) {
    const u64 claims = load_relaxed(&shadow::claim_directory[a >> abi::kRegionBits]);
    if (BF_UNLIKELY(claims == 0)) return false;
    if (BF_UNLIKELY(!has_usual_claim(shadow::claim_from(claims, a)))) return false;
    // The thread is known, since it has a claim, and plane 8 has a region.
    const u32 mine = __bf_thread.stamp;
    Thread& t = *static_cast<Thread*>(__bf_thread.thread);
    Cell* const word = shadow::detail::cell_from<8>(shadow::detail::cells_of<8>(a), a);
    Cell* cell = word;
    u64 half = load_relaxed(reinterpret_cast<const u64*>(word));
    bool divides = false;
    if constexpr (G == 8) {
      // Most have none of these bits: one test instead of three.
      constexpr u64 kNotPlain = kSpecialBit | u64{kPartMask} << 32;
      if (BF_UNLIKELY((half & kNotPlain) != 0) &&
          (is_special(static_cast<u32>(half)) || speaks_for_many(half)))
        return false;
    } else {
      // In the plane of its size, in plane 1 as a part of that size, or nowhere yet.
      u32 size_bits = 0;
      if (BF_LIKELY(rt::detail::kept_in_plane<G>(half, a))) {
        cell = shadow::cell_if_present<G>(a);
      } else if (G != 1 && half >> 32 == 0 && is_part<G>(static_cast<u32>(half), a & 7)) {
        cell = shadow::cell_if_present<1>(a);
        size_bits = (G - 1) << kPartShift;
      } else {
        divides = G != 1 && half == 0 && load_relaxed(reinterpret_cast<const u64*>(word) + 1) == 0;
        if (!divides) return false;
        cell = shadow::cell_if_present<G>(a);
      }
      if (BF_UNLIKELY(cell == nullptr)) return false;
      half = load_relaxed(reinterpret_cast<const u64*>(cell));
      if (BF_UNLIKELY((half >> 32 & kPartMask) != size_bits)) return false;
    }
    const Origin from = recent_origin<G, kWrites>(t, pc);
    if (BF_UNLIKELY(from == kNoOrigin)) return false;
    BF_DCHECK(exclusive_before(load_cell(cell), observer(t)));
    if (G != 8 && divides) store_relaxed(reinterpret_cast<u64*>(word), u64{kPiecesMark<G>});
    const u64 record = mine | static_cast<u64>(raw(from)) << 32;
    auto* halves = reinterpret_cast<u64*>(cell);
    store_relaxed(&halves[1], record);
    if constexpr (kWrites)
      store_relaxed(&halves[0], record | (half & (static_cast<u64>(~kOriginMask) << 32)));
    ++t.rule_counts[static_cast<usize>(kWrites ? Rule::kWriteExclusive : Rule::kReadExclusive)];
    return true;
  });
}

// Whether a piece has a cell in the plane of its size with nothing but a history, as the word's
// cell says at one look. REQUIRES: the block is somebody's.
template <unsigned G>
[[gnu::always_inline]] inline bool is_kept_in_plane(uptr a) {
  if ((a & (G - 1)) != 0) return false;
  const Cell* word = shadow::detail::cell_from<8>(shadow::detail::cells_of<8>(a), a);
  const u64 half = load_relaxed(reinterpret_cast<const u64*>(word));
  constexpr u64 kNotPlain = kSpecialBit | u64{kPartMask | kSyncFlag} << 32;
  if constexpr (G == 8) return (half & kNotPlain) == 0;
  return rt::detail::kept_in_plane<G>(half, a);
}
// Its cell, which has been made then.
template <unsigned G>
[[gnu::always_inline]] inline Cell* cell_in_plane(uptr a) {
  u64 cells = load_relaxed(&shadow::directory<G>()[a >> abi::kRegionBits]);
  if constexpr (G != 8) cells = load_relaxed(shadow::detail::leaf_entry<G>(cells, a));
  return shadow::detail::cell_from<G>(cells, a);
}
// try_claimed() for such a piece: its cell is stored without a look. Calls `then` inside when that
// is done. REQUIRES: the block was claimed at a look from outside.
template <unsigned G, bool kWrites, class Then>
[[gnu::always_inline]] inline bool try_claimed_piece(uptr a, Pc pc, Then&& then) {
  return do_inside([&]() __attribute__((always_inline)) {
    if (BF_UNLIKELY(load_relaxed(shadow::claim_word(a)) != __bf_thread.usual)) return false;
    if (BF_UNLIKELY(!is_kept_in_plane<G>(a))) return false;
    Thread& t = *static_cast<Thread*>(__bf_thread.thread);
    const Origin from = recent_origin<G, kWrites>(t, pc);
    if (BF_UNLIKELY(from == kNoOrigin)) return false;
    Cell* const cell = cell_in_plane<G>(a);
    BF_DCHECK(cell == shadow::cell_if_present<G>(a));
    BF_DCHECK((load_cell(cell).write_origin & ~kOriginMask) == 0);
    BF_DCHECK(exclusive_before(load_cell(cell), observer(t)));
    rt::detail::record_claimed<kWrites>(cell, Cell{}, __bf_thread.stamp, raw(from));
    ++t.rule_counts[static_cast<usize>(kWrites ? Rule::kWriteExclusive : Rule::kReadExclusive)];
    then();
    return true;
  });
}

// The first access of an epoch to a word of a shared block, with a history that is single and
// ordered before: one compare-and-swap. What quick_piece() does, as long as nothing is out of the
// ordinary, in half as many instructions. kMisplaced: the full path has to do it.
template <bool kWrites>
[[gnu::always_inline]] inline Quick try_shared_word(uptr a, Pc pc) {
  Quick q = Quick::kNotQuick;
  if (BF_UNLIKELY((a & 7) != 0 || a >> abi::kAddressBits != 0)) return q;
  do_inside([&]() __attribute__((always_inline)) {
    const u32 mine = __bf_thread.stamp;
    if (BF_UNLIKELY(__bf_thread.usual != mine || claim_of(a) != shadow::kShared)) return false;
    Thread& t = *static_cast<Thread*>(__bf_thread.thread);
    Cell* const word = cell_in_plane<8>(a);
    const Cell seen = load_cell(word);
    if (seen.write == mine || (!kWrites && seen.read == mine)) {
      q = Quick::kSameEpoch;
      return true;
    }
    // Words without a history are left to those who make fresh shadow; the upper bits tell of
    // atomics and groups.
    if (seen.blank() || (seen.write_origin & ~kOriginMask) != 0) return false;
    if (!exclusive_before(seen, observer(t))) return false;
    const Origin from = recent_origin<8, kWrites>(t, pc);
    if (BF_UNLIKELY(from == kNoOrigin)) return false;
    const Cell next =
        kWrites ? written(mine, raw(from)) : Cell{seen.write, seen.write_origin, mine, raw(from)};
    if (BF_UNLIKELY(!replace_cell(word, seen, next))) return false;
    ++t.rule_counts[static_cast<usize>(kWrites ? Rule::kWriteExclusive : Rule::kReadExclusive)];
    q = still_shared(a) ? Quick::kRecorded : Quick::kMisplaced;
    return true;
  });
  return q;
}

// What the cell of a word that has one tells of the epoch's accesses: a bit for each byte.
template <bool kWrites>
[[gnu::always_inline]] inline u32 told_by_word(const Cell* word) {
  const Cell seen = load_cell(word);
  const u32 mine = __bf_thread.stamp;
  if (!is_special(seen.write)) return tells_of_epoch<kWrites>(word) ? Masked::kAll : 0;
  if (!is_masked(seen.write) || seen.torn()) return 0;
  const Masked m = Masked::of(seen);
  return (m.write == mine ? m.wrote : 0) | (!kWrites && m.read == mine ? m.did_read : 0);
}

// A few whole words, as vector code accesses them. False if not all of them were quick; those that
// were are done.
template <bool kWrites>
[[gnu::always_inline]] inline bool try_words_quickly(ByteRange r, Pc pc) {
  constexpr AccessKind kKind = kWrites ? AccessKind::kWrite : AccessKind::kRead;
  constexpr usize kFew = 64;
  Thread* t = ordinary<8>(r.begin);
  if (BF_UNLIKELY(t == nullptr || r.size > kFew || (r.size & 7) != 0)) return false;
  if (BF_UNLIKELY(load_relaxed(&runtime.races_stop))) return false;  // all of them, or none
  bool all = false;
  if (BF_LIKELY(enter_quickly())) {
    Origin from = kNoOrigin;  // the same for all of them
    auto origin = [&] {
      if (from == kNoOrigin) from = quick_origin(*t, pc, kKind, r);
      return from;
    };
    uptr a = r.begin;
    while (a < r.end() && is_done(quick_piece<8, kWrites>(*t, a, origin, pc, r))) a += 8;
    all = a >= r.end();
  }
  leave_quickly();
  return all;
}

// What QuickRange asks of an access.
template <bool kWrites>
class QuickAccess {
 public:
  QuickAccess(Thread& t, ByteRange bytes, Pc pc, Pieces pieces)
      : t_(t), bytes_(bytes), pc_(pc), pieces_(pieces) {}
  Observer me() const { return observer(t_); }
  bool has_read(u32 read) const { return is_known_read(read); }
  RulesOf<kWrites> rules() const { return {t_, bytes_, kind_of<kWrites>(), pc_, pieces_}; }
  Origin origin() {
    constexpr AccessKind kKind = kWrites ? AccessKind::kWrite : AccessKind::kRead;
    if (from_ == kNoOrigin) from_ = quick_origin(t_, pc_, kKind, bytes_);
    return from_;
  }

 private:
  Thread& t_;
  const ByteRange bytes_;
  const Pc pc_;
  const Pieces pieces_;
  Origin from_ = kNoOrigin;
};

// Any other few bytes, as code that moves strings accesses them. False as above.
template <bool kWrites>
[[gnu::always_inline]] inline bool try_bytes_quickly(ByteRange r, Pc pc,
                                                     Pieces pieces = Pieces::kByMask) {
  constexpr usize kFew = 32;
  Thread* t = ordinary<1>(r.begin);
  if (BF_UNLIKELY(t == nullptr || r.size > kFew || load_relaxed(&runtime.races_stop))) return false;
  uptr a = r.begin;
  if (BF_LIKELY(enter_quickly())) {
    QuickAccess<kWrites> access(*t, r, pc, pieces);
    QuickRange<kWrites, QuickAccess<kWrites>> quick(access);
    for (uptr stop; a < r.end(); a = stop) {
      stop = (a & ~uptr{7}) + 8;
      if (stop > r.end()) stop = r.end();
      if (!quick.word(a, stop)) break;
    }
    if (quick.recorded()) note_recorded(*t);
  }
  leave_quickly();
  return a >= r.end();
}

}  // namespace detail

// For what is left: whether it is worth to ask for the array. An access that is not aligned, or a
// long range, may reach into another one; the full path, which is theirs, asks again.
[[gnu::always_inline]] inline bool may_be_in_array(ByteRange r) {
  return runtime.arrays.may_hold(r.begin) || runtime.arrays.may_hold(r.end() - 1);
}

// True: the epoch has recorded it, and it was no race.
template <unsigned G, bool kWrites>
[[gnu::always_inline]] inline bool slow_access(uptr a, Pc pc, Pieces pieces) {
  Quick q = detail::try_quickly<G, kWrites>(a, pc, pieces);
  if (BF_LIKELY(is_done(q))) return true;
  if (q == Quick::kNotQuick && access_in_parts<G, kWrites>(a, pc, pieces)) return true;
  full_access<G, kWrites>(a, pc);
  return false;
}

// The same where arrays have shadows of their own. REQUIRES: !surely_in_planes(a).
template <unsigned G, bool kWrites>
[[gnu::always_inline]] inline void slow_access_with_arrays(uptr a, Pc pc, const PlaceKey& place,
                                                           Pieces pieces) {
  if (runtime.arrays.may_hold(a) && array_access({a, G}, kind_of<kWrites>(), pc, place)) return;
  slow_access<G, kWrites>(a, pc, pieces);
}

// A sweep over an array that goes on: done without a call and in a few registers, if it returns
// true. Signals that came meanwhile still wait then.
//
// Instrumented code does the same inline in loops (frontends/llvm/sweep_test.cpp).
[[gnu::always_inline]] inline bool sweep_goes_on(const PlaceKey& place, uptr a) {
  return detail::do_inside([&]() __attribute__((always_inline)) {
    return Footprints::advance(__bf_thread.cursors, place, a);
  });
}

// An access of a site turns out to be in the planes. If it has a cursor there, another thread has
// moved the array since the sweep began; as long as the cursor is open instrumented code does not
// look into the planes, and every access is a call. (sparse took four times as long in one run of
// three.) So it is closed, with all others.
[[gnu::always_inline]] inline void leave_sweep(const PlaceKey& site, uptr a) {
  const abi::Cursor& c = __bf_thread.cursors[site.cursor];
  if (BF_UNLIKELY(Footprints::is_of(c, site)) && a - c.low <= c.span) commit_left_behind();
}

template <bool kWrites>
[[gnu::always_inline]] inline void slow_range(ByteRange r, Pc pc) {
  const bool words = ((r.begin | r.size) & 7) == 0;
  if (BF_LIKELY(words ? detail::try_words_quickly<kWrites>(r, pc)
                      : detail::try_bytes_quickly<kWrites>(r, pc)))
    return;
  full_range(r, kind_of<kWrites>(), pc);
}
template <bool kWrites>
[[gnu::always_inline]] inline void slow_range_with_arrays(ByteRange r, Pc pc,
                                                          const PlaceKey& place) {
  if (BF_UNLIKELY(r.size == 0)) return;
  if (may_be_in_array(r) && array_access(r, kind_of<kWrites>(), pc, place)) return;
  slow_range<kWrites>(r, pc);
}

// One of several accesses side by side; see abi/entry_points.def.
template <bool kWrites>
[[gnu::always_inline]] inline void slow_part(ByteRange part, Pc pc) {
  switch (part.size) {
    case 1:
      slow_access<1, kWrites>(part.begin, pc, Pieces::kInCells);
      return;
    case 2:
      slow_access<2, kWrites>(part.begin, pc, Pieces::kInCells);
      return;
    case 4:
      slow_access<4, kWrites>(part.begin, pc, Pieces::kInCells);
      return;
    case 8:
      slow_access<8, kWrites>(part.begin, pc, Pieces::kInCells);
      return;
    default:
      return slow_range<kWrites>(part, pc);
  }
}
// All of them in one array, as one element of a footprint; else each on its own.
template <bool kWrites>
inline void slow_parts_with_arrays(ByteRange all, usize size, Pc pc, const PlaceKey& place) {
  constexpr AccessKind kKind = kind_of<kWrites>();
  if (may_be_in_array(all) && array_access(all, kKind, pc, place, size)) return;
  for (uptr a = all.begin; a < all.end(); a += size) {
    const ByteRange part{a, size};
    const PlaceKey own = PlaceKey::of_call(pc, __bf_thread.frame->path, kKind, size);
    if (may_be_in_array(part) && array_access(part, kKind, pc, own)) continue;
    slow_part<kWrites>(part, pc);
  }
}

// A read and the write that follows it, as one step: the write's record is the read's, too. Only
// where nothing can be reported, because a report says which of the two it was. False: not done.
// REQUIRES: the bytes are not in an array with a shadow of its own: whether accesses there race is
// found out later.
template <unsigned G>
[[gnu::always_inline]] inline bool quick_update(uptr a, Pc pc) {
  Quick q = detail::try_quickly<G, true>(a, pc, Pieces::kInCells);
  if (BF_UNLIKELY(q == Quick::kMisplaced)) {
    // The misplaced record may make the write's inlined test pass, so the write is done here.
    full_access<G, false>(a, pc);
    full_access<G, true>(a, pc);
  }
  return q != Quick::kNotQuick;
}
[[gnu::always_inline]] inline bool quick_update(ByteRange r, Pc pc) {
  return detail::try_words_quickly<true>(r, pc);
}
[[gnu::always_inline]] inline bool update_part(ByteRange part, Pc pc) {
  switch (part.size) {
    case 1:
      return quick_update<1>(part.begin, pc);
    case 2:
      return quick_update<2>(part.begin, pc);
    case 4:
      return quick_update<4>(part.begin, pc);
    case 8:
      return quick_update<8>(part.begin, pc);
    default:
      return quick_update(part, pc);
  }
}

}  // namespace bigfoot::rt
