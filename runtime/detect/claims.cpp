#include "runtime/detect/claims.h"

namespace bigfoot::rt {
namespace {

constexpr uptr kOthersOfGroup = (kMaxGroupWords - 1) * uptr{8};

bool is_in_group(uptr a) {
  const Cell* word = shadow::cell_if_present<8>(a);
  return word != nullptr && in_group(load_cell(word));
}

bool is_right(u32 claim, Stamp mine) {
  return claim == raw(mine) || claim == shadow::kShared;
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
  uptr begin = r.begin & ~uptr{7}, end = r.end();
  if (BF_UNLIKELY(is_in_group(begin))) begin -= kOthersOfGroup;
  if (BF_UNLIKELY(is_in_group(end - 1))) end += kOthersOfGroup;
  return {begin, end - begin};
}

bool has_rights(ByteRange r, Stamp mine) {
  bool all = true;
  for_each_block(r, [&](uptr b) {
    all = all && is_right(load_acquire(shadow::claim_word(b)), mine);
  });
  return all;
}

bool may_be_one_group(ByteRange r, Stamp mine) {
  const u32 first = load_acquire(shadow::claim_word(r.begin));
  const u32 last = load_acquire(shadow::claim_word(r.end() - 1));
  return first == last && is_right(first, mine);
}

}  // namespace bigfoot::rt
