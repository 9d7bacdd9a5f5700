#include "runtime/detect/detector_impl.h"

namespace bigfoot::rt {
namespace {

// The words become a group if the access leaves them all with one history. For a write that follows
// from what a write leaves behind; for a read they must have been written by one access, or never.
template <bool kWrites>
bool try_form(Cell* word, unsigned count, Accessor& who, Outcome& out) {
  words::Forming forming;
  if (!words::may_be_group(word, count, forming)) return false;
  Step first{};
  for (unsigned i = 0; i < count; ++i) {
    // Words with sets of their own have been read apart, and get no common one by a read.
    const Cell& c = forming.seen[i];
    if (!kWrites && c.read_by_many() && who.sets.is_own(read_set_of(c.read))) return false;
    const Step s = detail::step<kWrites>(forming.seen[i], who);
    if (s.conflict) return false;
    if (i == 0) first = s;
    if (!(s.next == first.next)) return false;
  }
  if (!words::form(word, forming, first.next)) return false;
  if (who.rule_counts != nullptr) ++who.rule_counts[static_cast<usize>(first.rule)];
  out.recorded = true;
  return true;
}

// One cell, which speaks for all its words.
template <bool kWrites>
bool try_run(Cell* word, const Cell& seen, Accessor& who, Outcome& out) {
  if (detail::in_place<kWrites>(seen, who)) {
    out.recorded = true;
    return is_whole_as_seen(word, seen);
  }
  const Step s = detail::step<kWrites>(seen, who, StepFor::kOneCell);
  if (s.conflict) return false;
  if (!(s.next == seen)) {
    if (!replace_cell(word, seen, s.next)) return false;
    out.recorded = true;
  }
  if (who.rule_counts != nullptr) ++who.rule_counts[static_cast<usize>(s.rule)];
  return true;
}

}  // namespace

template <bool kWrites>
usize detect_group(Accessor& who, ByteRange r, bool may_form, Outcome& out) {
  Cell* word = shadow::cell<8>(r.begin);
  const auto count = static_cast<unsigned>(r.size / 8);
  unsigned done = 0;
  while (done < count) {
    const Cell seen = words::load_settled(word + done);
    if (in_group(seen)) {
      const bool whole = !is_special(seen.write) && group_words(seen) <= count - done;
      if (!whole) {
        // Only what the check stands for may be touched by it.
        words::cut_out(word + done, seen, count - done);
        cpu_pause();
        continue;
      }
    } else if (is_special(seen.write) || seen.has_sync()) {
      break;
    } else if (may_form && done == 0 && try_form<kWrites>(word, count, who, out)) {
      return r.size;
    }
    if (!try_run<kWrites>(word + done, seen, who, out)) {
      if (load_cell(word + done) == seen) break;  // a conflict
      continue;                                   // somebody else changed it
    }
    done += group_words(seen);
  }
  return done * usize{8};
}
template usize detect_group<false>(Accessor&, ByteRange, bool, Outcome&);
template usize detect_group<true>(Accessor&, ByteRange, bool, Outcome&);

}  // namespace bigfoot::rt
