#include "runtime/heap/class_lists.h"

#include "runtime/base/check.h"
#include "runtime/heap/slab_runs.h"

namespace bigfoot::rt::heap {

ClassList class_lists[kClassCount];

namespace {
bool has_room(const Slab& s) {
  return s.free_head != kNoBlock || s.carved < info(s.size_class).blocks_per_slab;
}

// REQUIRES: has_room(slab).
uptr pop(SlabIndex index) {
  Slab& s = stretch[index];
  u16 n = s.free_head;
  if (n != kNoBlock)
    s.free_head = stretch.facts_of(index)[n].next_free;
  else
    store_relaxed(&s.carved, static_cast<u16>((n = s.carved) + 1));
  ++s.used;
  return stretch.start_of(index) + usize{n} * info(s.size_class).bytes;
}
}  // namespace

void ClassList::link(SlabIndex s) {
  SlabIndex head{first_with_room_ - 1};
  stretch[s].next = head;
  stretch[s].prev = kNoSlab;
  if (head != kNoSlab) stretch[head].prev = s;
  first_with_room_ = raw(s) + 1;
}

void ClassList::unlink(SlabIndex index) {
  const Slab& s = stretch[index];
  if (s.next != kNoSlab) stretch[s.next].prev = s.prev;
  if (s.prev != kNoSlab)
    stretch[s.prev].next = s.next;
  else
    first_with_room_ = raw(s.next) + 1;
}

bool ClassList::add_slab(SizeClass c) {
  Run run = slab_runs.allocate(1);
  if (run.empty()) return false;
  Slab& s = stretch[run.first];
  s.size_class = c;
  s.first = run.first;
  s.free_head = kNoBlock;
  s.used = 0;
  store_relaxed(&s.carved, u16{0});
  s.set_use(SlabUse::kSmall);
  link(run.first);
  return true;
}

void ClassList::take(SizeClass c, uptr* to, u32 wanted, u32* count) {
  SpinGuard guard(lock_);
  u32 n = 0;
  while (n < wanted) {
    if (first_with_room_ == 0 && !add_slab(c)) break;
    SlabIndex s{first_with_room_ - 1};
    while (n < wanted && has_room(stretch[s])) to[n++] = pop(s);
    if (!has_room(stretch[s])) unlink(s);
  }
  store_relaxed(count, n);
}

void ClassList::give_one([[maybe_unused]] SizeClass c, uptr block) {
  SmallBlock b = small_block_at(block);
  Slab& s = stretch[b.slab];
  BF_DCHECK(s.use() == SlabUse::kSmall && s.size_class == c && s.used > 0);
  bool had_room = has_room(s);
  b.facts.next_free = s.free_head;
  s.free_head = b.number;
  --s.used;
  if (!had_room) link(b.slab);
  bool only_one = first_with_room_ == raw(b.slab) + 1 && s.next == kNoSlab;
  if (s.used > 0 || only_one) return;
  unlink(b.slab);
  slab_runs.free(b.slab, 1);
}

void ClassList::give(SizeClass c, const uptr* from, u32 returned, u32* count) {
  SpinGuard guard(lock_);
  for (u32 n = *count; returned > 0; --returned) {
    give_one(c, from[--n]);
    store_relaxed(count, n);
  }
}

}  // namespace bigfoot::rt::heap
