// Groups of words (shadow/group.h): cutting, forming, and accesses to whole ones.
//
// A group changes while its first word is busy, and only by who made it so. Nobody waits while
// holding a busy word: what cannot be formed at once is not formed. The cell of a word that is not
// the first is written by the holder alone, so a visitor that finds a mark there goes to the first
// word, and begins again if that is busy or something else by now. An access to a whole group is
// one compare-and-swap of its first word; it fails if the group was cut or cleared meanwhile, since
// the number of words is part of the cell.
#pragma once

#include "runtime/detect/words.h"
#include "runtime/shadow/group.h"

namespace bigfoot::rt::words {

// Makes the words from `word` on, at most `count` of them, a group apart from what is before and
// behind them in the group that `word` belongs to; each part keeps the history. `seen` is what the
// cell held. One attempt: it does nothing if the group has changed, and the caller looks again.
void cut_out(Cell* word, const Cell& seen, unsigned count);

// The cell of the word that `a` is in once it is in no transition, in no group and not kept by
// masks: one that speaks for all of the word, or says how it is divided.
inline Cell load_alone(Cell* word, uptr a) {
  for (;;) {
    const Cell c = load_settled(word);
    if (BF_UNLIKELY(in_group(c)))
      cut_out(word, c, 1);
    else if (BF_UNLIKELY(is_masked(c.write)))
      unmask(word, c, a & ~uptr{7});
    else
      return c;
    cpu_pause();
  }
}

// Clears the group that begins at `word`, all of it. False if it is not there as seen.
bool clear_group(Cell* word, const Cell& seen);

// The cells that become a group: nothing of it has happened yet.
struct Forming {
  unsigned count;
  Cell seen[kMaxGroupWords];
};
// Whether the words from `word` on could be one group: each has one history, and was never cut out.
bool may_be_group(const Cell* word, unsigned count, Forming& forming);
// Makes them one with the history `next`. False, and nothing has changed, if any cell is no longer
// what was seen.
bool form(Cell* word, const Forming& forming, const Cell& next);

// How often words became a group, and how often a part was cut out of one. Counted for statistics
// alone, since all threads count in one place: from count_groups() on.
struct GroupCounts {
  u64 formed, cut;
};
void count_groups();
GroupCounts group_counts();

// The history of a word in a group: that of its first word. Not a group any more: nothing. `word`
// is its cell, `seen` what was in it.
inline const Cell* first_of_group(const Cell* word, const Cell& seen) {
  return is_special(seen.write) ? word - distance_of(seen.write) : word;
}

}  // namespace bigfoot::rt::words
