#include "runtime/detect/groups.h"

#include "runtime/base/atomic.h"

namespace bigfoot::rt::words {
namespace {

bool counting = false;  // written before there are threads
GroupCounts counts;

void tally(u64& counter) {
  if (BF_UNLIKELY(counting)) fetch_add(&counter, u64{1});
}

// The cells of a group of `count` words, from the last to the second; returns what the first has to
// become. In this order nobody can take the new group for cutting before all of it is there.
Cell write_followers(Cell* first, unsigned count, const Cell& history) {
  for (unsigned i = count - 1; i > 0; --i) store_cell(first + i, follower(i));
  return as_group(history, count);
}

// A mark whose first word knows nothing of it: memory was cleared while somebody still used it and
// formed a group there (clear_word stores without asking). While the first word is ours, no group
// of it can come or go, so a mark that is still there has no history to point to.
void drop_orphan(Cell* word, const Cell& seen, Cell* first, const Cell& group) {
  if (group.write == kBusy || is_follower(group.write) || !make_busy(first, group)) return;
  if (load_cell(word).write == seen.write) store_cell(word, Cell{});
  settle(first, group);
}

}  // namespace

void cut_out(Cell* word, const Cell& seen, unsigned count) {
  const unsigned begin = is_special(seen.write) ? distance_of(seen.write) : 0;
  Cell* first = word - begin;
  const Cell group = load_cell(first);
  const unsigned words = is_special(group.write) ? 1 : group_words(group);
  if (begin >= words) return drop_orphan(word, seen, first, group);
  const unsigned end = begin + count < words ? begin + count : words;
  if (begin == 0 && end == words) return;
  if (!make_busy(first, group)) return;
  close_reads(group);
  if (end < words) store_cell(first + end, write_followers(first + end, words - end, group));
  if (begin > 0) store_cell(word, write_followers(word, end - begin, group));
  settle(first, write_followers(first, begin > 0 ? begin : end, group));
  tally(counts.cut);
}

bool clear_group(Cell* word, const Cell& seen) {
  if (!make_busy(word, seen)) return false;
  for (unsigned i = group_words(seen) - 1; i > 0; --i) store_cell(word + i, Cell{});
  settle(word, Cell{});
  return true;
}

bool may_be_group(const Cell* word, unsigned count, Forming& forming) {
  forming.count = count;
  for (unsigned i = 0; i < count; ++i) {
    const Cell c = load_cell(word + i);
    const bool free = !is_special(c.write) && !c.torn() && (c.write_origin & ~kOriginMask) == 0;
    if (!free) return false;
    forming.seen[i] = c;
  }
  return true;
}

bool form(Cell* word, const Forming& forming, const Cell& next) {
  if (!make_busy(word, forming.seen[0])) return false;
  for (unsigned i = 1; i < forming.count; ++i) {
    if (replace_cell(word + i, forming.seen[i], follower(i))) continue;
    while (--i > 0) store_cell(word + i, forming.seen[i]);
    settle(word, forming.seen[0]);
    return false;
  }
  settle(word, as_group(next, forming.count));
  tally(counts.formed);
  return true;
}

void count_groups() {
  counting = true;
}

GroupCounts group_counts() {
  return {load_relaxed(&counts.formed), load_relaxed(&counts.cut)};
}

}  // namespace bigfoot::rt::words
