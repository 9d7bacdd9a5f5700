#include "runtime/detect/claims.h"

namespace bigfoot::rt {
namespace {

// The words of the group that the word of `a` is in, or that one.
ByteRange group_of(uptr a) {
  const uptr word = a & ~uptr{7};
  for (;;) {
    const Cell* cell = shadow::cell_if_present<8>(word);
    const Cell seen = cell == nullptr ? Cell{} : load_cell(cell);
    if (seen.write == kBusy) {
      cpu_pause();
      continue;
    }
    if (!in_group(seen)) return {word, 8};
    const unsigned before = is_special(seen.write) ? distance_of(seen.write) : 0;
    const Cell first = load_cell(cell - before);
    // It is being changed, or was; or the mark is nobody's (see groups.cpp), and goes with the
    // word.
    if (is_special(first.write) && before != 0 && load_cell(cell) == seen)
      return {word - before * 8, (before + 1) * 8};
    if (is_special(first.write)) continue;
    const usize words = group_words(first) > before ? group_words(first) : before + 1;
    return {word - before * 8, words * 8};
  }
}

bool is_right(u32 claim, Stamp mine) {
  return claim == raw(mine) || claim == shadow::kShared;
}

// By the same thread, in this epoch or before; or by nobody.
bool is_of_thread(u32 stamp, Stamp mine) {
  return stamp == 0 || StampTable::same_chunk(Stamp{stamp}, mine);
}

bool words_are_of(ByteRange r, Stamp mine) {
  const Cell* word = shadow::cell_if_present<8>(r.begin);
  for (uptr a = r.begin & ~uptr{7}; a < r.end(); a += 8, ++word) {
    const Cell seen = load_cell(word);
    if (is_special(seen.write) || names_set(seen.read)) return false;
    if (!is_of_thread(seen.write, mine) || !is_of_thread(seen.read, mine)) return false;
  }
  return true;
}

}  // namespace

Right take_claim(uptr a, const Observer& me) {
  u32* const claim = shadow::claim_word(a);
  const u32 mine = raw(me.stamp);
  for (u32 seen = load_acquire(claim);;) {
    if (seen == mine) return Right::kClaimed;
    if (seen == shadow::kShared) return Right::kShared;
    if (seen == shadow::kBeingCleared) return Right::kNone;
    const bool over = seen == shadow::kUnclaimed || happened_before(Stamp{seen}, me);
    if (!over && shadow::claims_on) return Right::kNone;
    const u32 next = shadow::claims_on ? mine : shadow::kShared;
    if (compare_exchange(claim, seen, next)) seen = next;
  }
}

ByteRange with_groups(ByteRange r) {
  const ByteRange first = group_of(r.begin), last = group_of(r.end() - 1);
  return {first.begin, last.end() - first.begin};
}

bool is_only_of(ByteRange r, Stamp mine) {
  for (uptr a = r.begin, next; a < r.end(); a = next) {
    next = shadow::claim_begin(a) + shadow::kClaimBytes;
    if (next > r.end()) next = r.end();
    const u32* claim = shadow::claim_word_if_present(a);
    if (claim == nullptr) continue;
    const u32 seen = load_acquire(claim);
    if (shadow::is_epoch(seen) || (seen == shadow::kUnclaimed && shadow::claims_on)) {
      if (!is_of_thread(seen, mine)) return false;
    } else if (!words_are_of({a, next - a}, mine)) {
      return false;
    }
  }
  return true;
}

bool has_rights(ByteRange r, Stamp mine) {
  bool all = true;
  for_each_block(r,
                 [&](uptr b) { all = all && is_right(load_acquire(shadow::claim_word(b)), mine); });
  return all;
}

bool may_be_one_group(ByteRange r, Stamp mine) {
  const u32 first = load_acquire(shadow::claim_word(r.begin));
  const u32 last = load_acquire(shadow::claim_word(r.end() - 1));
  return first == last && is_right(first, mine);
}

}  // namespace bigfoot::rt
