#include "runtime/context/field_groups.h"

#include "runtime/base/atomic.h"
#include "runtime/base/check.h"

namespace bigfoot::rt {
void FieldGroups::initialise() {
  groups_.reserve();
  sites_.reserve();
}

// REQUIRES: the lock.
FieldGroup* FieldGroups::add(u64 type, u64 words) {
  u32& bucket = buckets_[type % kBuckets];
  u32 agreed = 1;
  for (u32 i = bucket; i != 0; i = groups_[i].next) {
    FieldGroup& other = groups_[i];
    if (other.type != type) continue;
    if (other.words == words) return &other;
    if (abi::divides(words, other.words)) store_relaxed(&other.agreed, 0u);
    if (abi::divides(other.words, words)) agreed = 0;
  }
  // Beyond the bound nothing is known of a group, so it is not formed.
  if (count_ + 1 == kGroups) return nullptr;
  groups_[count_ + 1] = {type, words, agreed, bucket};
  store_relaxed(&count_, count_ + 1);
  bucket = count_;
  return &groups_[bucket];
}

void FieldGroups::add(abi::FieldGroup* groups, u32 count) {
  SpinGuard guard(lock_);
  for (u32 i = 0; i < count; ++i) groups[i].record = add(groups[i].type, groups[i].words);
}

// REQUIRES: the lock.
GroupSite* FieldGroups::new_site(const abi::GroupSite& site) {
  if (sites_used_ == kSites) die("cannot go on", "too many places that check fields together");
  GroupSite& fresh = sites_[sites_used_++];
  fresh.group = static_cast<const FieldGroup*>(site.group->record);
  fresh.pieces = site.pieces;
  for (u32 i = 0; i < site.pieces; ++i) fresh.piece[i] = site.piece[i];
  const auto& last = site.piece[site.pieces - 1];
  fresh.bytes = u32{last.offset} + last.bytes;
  return &fresh;
}

// Two threads may come to a site at the same time; both tell the same.
void FieldGroups::add_piece(abi::GroupSite& site, u32 piece, Pc pc) {
  SpinGuard guard(lock_);
  if (site.pending == nullptr) site.pending = new_site(site);
  auto& record = *static_cast<GroupSite*>(site.pending);
  store_relaxed(&record.pcs[piece], pc);
  if (piece + 1 == site.pieces) store_release(&site.record, site.pending);
}

const GroupSite* FieldGroups::site_at(Pc pc) const {
  const auto first = reinterpret_cast<uptr>(&sites_[0]);
  if (!sites_.reserved() || pc < first || pc >= first + sizeof(GroupSite) * kSites) return nullptr;
  return reinterpret_cast<const GroupSite*>(pc);
}

u64 FieldGroups::agreed() const {
  u64 n = 0;
  for (u32 i = 1; i <= count_; ++i)
    n += load_relaxed(&groups_[i].agreed) != 0 && __builtin_popcountll(groups_[i].words) > 1;
  return n;
}

}  // namespace bigfoot::rt
