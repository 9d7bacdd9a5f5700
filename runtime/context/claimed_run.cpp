#include "runtime/context/claimed_run.h"

#include <emmintrin.h>

namespace bigfoot::rt {
namespace {

bool in_one_region(ByteRange r) {
  return (r.end() - 1) >> abi::kAddressBits == 0 &&
         r.begin >> abi::kRegionBits == (r.end() - 1) >> abi::kRegionBits;
}

// What QuickRange asks of an access.
template <bool kWrites>
struct PartOfARun {
  Thread& thread;
  ByteRange bytes;  // of one access
  AccessKind kind;
  Pc pc;
  Origin from;
  Observer me() const { return observer(thread); }
  bool has_read(u32 read) const { return detail::is_known_read(read); }
  detail::RulesOf<kWrites> rules() const {
    return {thread, bytes, kind, pc, Pieces::kByMask, from};
  }
  Origin origin() const { return from; }
};

// What became of the latest word: neighbours mostly have the same history, and the same becomes of
// them. A word without any is left out, because its shadow may have to be made first.
class LatestWord {
 public:
  // Does the same to a word in the same state. REQUIRES: the epoch has claimed its block.
  [[gnu::always_inline]] bool repeat(Cell* word, u32 mask) const {
    auto* half = reinterpret_cast<u64*>(word);
    if (mask != mask_ || load_relaxed(&half[0]) != low_ || load_relaxed(&half[1]) != high_)
      return false;
    store_cell(word, next_);
    return true;
  }
  // `seen` was the word's cell before its bytes in `mask` were recorded.
  [[gnu::always_inline]] void remember(const Cell& seen, const Cell* word, u32 mask) {
    low_ = low_half(seen);
    high_ = high_half(seen);
    mask_ = seen.blank() ? 0 : mask;
    next_ = load_cell(word);
  }

 private:
  u64 low_ = 0, high_ = 0;
  u32 mask_ = 0;  // no access has none
  Cell next_;
};

// Records bytes from lower to higher addresses. REQUIRES: inside the run time, all bytes are in one
// region, `access` as for claimed_run().
template <bool kWrites>
class Recorder {
 public:
  Recorder(Thread& t, ByteRange access, AccessKind kind, Pc pc, Origin from = kNoOrigin)
      : part_{t, access, kind, pc, from}, mine_(raw(t.stamp)) {}
  Recorder(const Recorder&) = delete;  // a member refers to another one
  Recorder& operator=(const Recorder&) = delete;

  // False: not all of them were.
  [[gnu::always_inline]] bool record(ByteRange r) { return record_from(r) == r.end(); }
  // Returns how far it came.
  [[gnu::always_inline]] uptr record_from(ByteRange r) {
    Cell* word = shadow::detail::cell_from<8>(shadow::detail::cells_of<8>(r.begin), r.begin);
    uptr a = r.begin;
    for (uptr next; a < r.end(); a = next, ++word) {
      next = (a & ~uptr{7}) + 8;
      const uptr stop = next <= r.end() ? next : r.end();
      if (!record_word(word, a, stop, mask_of(a, stop - a))) return a;
    }
    return r.end();
  }
  // The same for the first `width` bytes of each `step` before `end`, of which each is in one word
  // and at the same place there. False: not all of them were.
  [[gnu::always_inline]] bool record_in_words(uptr a, uptr end, usize step, usize width) {
    Cell* word = shadow::detail::cell_from<8>(shadow::detail::cells_of<8>(a), a);
    const u32 mask = mask_of(a, width);
    for (; a < end; a += step, word += step / 8)
      if (!record_word(word, a, a + width, mask)) return false;
    return true;
  }

 private:
  // The bytes [a, stop) of one word, those in `mask`.
  [[gnu::always_inline]] bool record_word(Cell* word, uptr a, uptr stop, u32 mask) {
    if (stop > block_end_) {
      block_ = block_at(a);
      block_end_ = shadow::claim_begin(a) + shadow::kClaimBytes;
    }
    if (BF_LIKELY(block_ == Block::kMine) &&
        (latest_.repeat(word, mask) || record_first(word, a, mask) || record_parts(word, a, stop)))
      return true;
    return BF_LIKELY(block_ != Block::kAnothers) && record_otherwise(a, stop);
  }
  // Bytes of a word that is not for record_in_claimed().
  [[gnu::noinline]] bool record_otherwise(uptr a, uptr stop) {
    origin();
    return otherwise_.word(a, stop);
  }
  [[gnu::always_inline]] bool record_first(Cell* word, uptr a, u32 mask) {
    const Cell seen = load_cell(word);
    const auto from = [this] { return origin(); };
    if (BF_UNLIKELY(!detail::record_in_claimed<kWrites>(word, a, mask, mine_, from, steps())))
      return false;
    latest_.remember(seen, word, mask);
    return true;
  }
  // Of a word that is divided where the bytes begin and end, as one of ints is.
  [[gnu::always_inline]] bool record_parts(const Cell* word, uptr a, uptr stop) {
    const u64 half = load_relaxed(reinterpret_cast<const u64*>(word));
    const auto mark = static_cast<u32>(half);
    // With an atomic in the word, or a history elsewhere.
    if (!is_special(mark) || half >> 32 != 0 || is_masked(mark) || is_follower(mark)) return false;
    const Division d(mark);
    const unsigned from = a & 7, to = from + static_cast<unsigned>(stop - a);
    if (mark == kBusy || !d.cuts(from, to) || (kWrites && write_joins(d, from, to))) return false;
    if (BF_UNLIKELY(origin() == kNoOrigin)) return false;
    rt::detail::record_claimed_parts<kWrites>(d, a, stop, mine_, raw(origin()));
    return true;
  }
  // Its own block, or one that was an earlier epoch's and may be taken over: such a one is in no
  // array either. Of those that are shared there may be one.
  enum class Block : u8 { kMine, kShared, kAnothers };
  Block block_at(uptr a) const {
    u32* const claim = shadow::claim_word(a);
    u32 seen = load_acquire(claim);
    if (BF_LIKELY(seen == mine_)) return Block::kMine;
    if (seen == shadow::kShared) return in_array(a) ? Block::kAnothers : Block::kShared;
    if (!shadow::is_epoch(seen) || !shadow::claims_on) return Block::kAnothers;
    if (!happened_before(Stamp{seen}, part_.me())) return Block::kAnothers;
    return compare_exchange(claim, seen, mine_) ? Block::kMine : Block::kAnothers;
  }
  // An array has at least as many bytes as a block, so that one which reaches into it has an end of
  // the block.
  static bool in_array(uptr a) {
    const uptr block = shadow::claim_begin(a);
    return runtime.arrays_on && may_be_in_array({block, shadow::kClaimBytes});
  }
  Origin origin() {
    if (part_.from == kNoOrigin)
      part_.from = detail::quick_origin(part_.thread, part_.pc, part_.kind, part_.bytes);
    return part_.from;
  }
  MosaicSteps& steps() { return part_.thread.mosaic_steps; }

  PartOfARun<kWrites> part_;
  QuickRange<kWrites, PartOfARun<kWrites>> otherwise_{part_};
  const u32 mine_;
  uptr block_end_ = 0;
  Block block_ = Block::kAnothers;
  LatestWord latest_;
};

// The thread, if something may be recorded that begins in a block that is somebody's.
Thread* may_record(ByteRange r) {
  if (BF_UNLIKELY(r.size - 1 >= kMostBytesOfARun || !in_one_region(r))) return nullptr;
  if (__bf_thread.stamp == abi::kStampSingle) return nullptr;
  const u32* claim = shadow::claim_word_if_present(r.begin);
  if (claim == nullptr || load_relaxed(claim) == shadow::kUnclaimed) return nullptr;
  Thread* t = thread_or_null();
  // While races stop, an access is recorded as a whole or not at all: what follows these blocks may
  // race.
  const bool no = t == nullptr || t->ignore_accesses != 0 || load_relaxed(&runtime.races_stop);
  return BF_UNLIKELY(no) ? nullptr : t;
}

// Whether the cells of whole words show an access of this epoch each, as the inlined test asks of
// one: four cells a step. Reads of several threads are found where all words have the same set.
template <bool kWrites>
bool words_are_settled(ByteRange r) {
  if (((r.begin | r.size) & 7) != 0 || !in_one_region(r)) return false;
  const Cell* word = shadow::cell_if_present<8>(r.begin);
  if (word == nullptr) return false;
  const u32 want = kWrites ? __bf_thread.stamp : load_relaxed(&word->read);
  if (!kWrites && !detail::is_known_read(want)) return false;
  const __m128i wanted = _mm_set1_epi32(static_cast<int>(want));
  constexpr int kLane = kWrites ? 0 : 2;  // of a cell's four numbers, the one that is asked for
  const auto differs = [&](const Cell* cell) {
    const __m128i found = _mm_loadu_si128(reinterpret_cast<const __m128i*>(cell));
    return _mm_andnot_si128(_mm_cmpeq_epi32(found, wanted), _mm_set1_epi32(-1));
  };
  const auto any = [](__m128i lanes) {
    return (_mm_movemask_ps(_mm_castsi128_ps(lanes)) >> kLane & 1) != 0;
  };
  const Cell* const end = word + r.size / 8;
  for (; end - word >= 4; word += 4) {
    const __m128i first = _mm_or_si128(differs(word), differs(word + 1));
    const __m128i last = _mm_or_si128(differs(word + 2), differs(word + 3));
    if (any(_mm_or_si128(first, last))) return false;
  }
  for (; word < end; ++word)
    if (any(differs(word))) return false;
  // Another epoch, or names given out anew, may have come meanwhile: outside of the run time.
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  return kWrites ? load_relaxed(&__bf_thread.stamp) == want : detail::is_known_read(want);
}

}  // namespace

template <bool kWrites>
bool claimed_run(ByteRange r, ByteRange access, AccessKind kind, Pc pc) {
  // What ends the life of bytes is recorded whatever was done to them before.
  const bool is_access = kind == kind_of<kWrites>();
  const bool plain = is_access && r.size < shadow::kClaimBytes;
  const auto size = static_cast<unsigned>(r.size);
  if (plain && SettledBytes::contain<kWrites>(__bf_thread, r.begin, size)) return true;
  if (is_access && !plain && words_are_settled<kWrites>(r)) return true;
  Thread* const t = may_record(r);
  if (t == nullptr) return false;
  bool done = false;
  if (BF_LIKELY(detail::enter_quickly())) {
    note_recorded(*t);  // the claim counts as a record
    done = Recorder<kWrites>(*t, access, kind, pc).record(r);
    if (done)
      ++t->rule_counts[static_cast<usize>(kWrites ? Rule::kWriteExclusive : Rule::kReadExclusive)];
    if (done && plain) SettledBytes::add<kWrites>(__bf_thread, r.begin, size);
  }
  detail::leave_quickly();
  return done;
}
template bool claimed_run<false>(ByteRange, ByteRange, AccessKind, Pc);
template bool claimed_run<true>(ByteRange, ByteRange, AccessKind, Pc);

namespace {
template <bool kWrites>
uptr record_past(Thread& t, const Footprint& f, usize size, AccessKind kind, Origin from) {
  Recorder<kWrites> recorder(t, {0, size}, kind, 0, from);
  for (uptr a = f.begin; a <= f.last; a += f.step) {
    const uptr reached = recorder.record_from({a, f.width});
    if (reached != a + f.width) return reached;
    if (f.step == 0) break;
  }
  return f.end();
}
}  // namespace

uptr claimed_past(Thread& t, const Footprint& f, usize size, AccessKind kind, Origin from) {
  if (&t != thread_or_null() || may_record({f.begin, f.end() - f.begin}) == nullptr) return f.begin;
  note_recorded(t);  // the claim counts as a record
  return is_write(kind) ? record_past<true>(t, f, size, kind, from)
                        : record_past<false>(t, f, size, kind, from);
}

namespace {
template <bool kWrites>
bool record_elements(Thread& t, const ElementRange& r, Pc pc) {
  Recorder<kWrites> recorder(t, {0, r.size}, r.kind, pc);
  const uptr end = r.begin + r.extent;
  if (r.step % 8 == 0 && (r.begin & 7) + r.width <= 8) {
    if (!recorder.record_in_words(r.begin, end, r.step, r.width)) return false;
  } else {
    for (uptr a = r.begin; a < end; a += r.step)
      if (!recorder.record({a, r.width})) return false;
  }
  ++t.rule_counts[static_cast<usize>(kWrites ? Rule::kWriteExclusive : Rule::kReadExclusive)];
  return true;
}
}  // namespace

bool claimed_elements(Thread& t, const ElementRange& r, Pc pc) {
  if (((r.begin | r.step | r.width) & (r.size - 1)) != 0 || r.step < r.width) return false;
  if (may_record({r.begin, r.extent + r.width}) == nullptr) return false;
  note_recorded(t);  // the claim counts as a record
  return is_write(r.kind) ? record_elements<true>(t, r, pc) : record_elements<false>(t, r, pc);
}

}  // namespace bigfoot::rt
