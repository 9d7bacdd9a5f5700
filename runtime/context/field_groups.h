// Fields that the program checks together: what its modules say, and the places that do it.
//
// A module says of each type which of its words it always checks together (abi/groups.h). What one
// module checks together another may check in part; then groups of those words would be cut again
// and again, so none are formed. That is a matter of speed alone: groups that exist when such a
// module is loaded are cut by its accesses, as by any other (shadow/group.h).
#pragma once

#include "abi/groups.h"
#include "runtime/base/arena.h"
#include "runtime/base/spin_lock.h"

namespace bigfoot::rt {

struct FieldGroup {
  u64 type;
  u64 words;
  u32 agreed;  // no module checks a part of it
  u32 next;    // of types with the same bucket
};

// A place that checks fields together. Its address takes the place of a pc in the origins of its
// accesses; a report shows the piece that the racing bytes belong to.
struct GroupSite {
  const FieldGroup* group;
  u32 pieces;
  u32 bytes;  // of all pieces, which lie side by side
  abi::GroupSite::Piece piece[abi::kMaxGroupWords];
  Pc pcs[abi::kMaxGroupWords];

  // The piece that the byte at `offset` belongs to.
  u32 piece_at(usize offset) const {
    u32 i = 0;
    while (i + 1 < pieces && piece[i + 1].offset <= offset) ++i;
    return i;
  }
};

class FieldGroups {
 public:
  void initialise();

  // A module has come. Thread-safe.
  void add(abi::FieldGroup* groups, u32 count);
  // The code of a site's piece is at `pc`. The site is complete after its last piece. Thread-safe.
  void add_piece(abi::GroupSite& site, u32 piece, Pc pc);
  // The site whose address this is, or null.
  const GroupSite* site_at(Pc pc) const;

  u64 count() const { return load_relaxed(&count_); }
  u64 agreed() const;

 private:
  static constexpr usize kGroups = usize{1} << 20;
  static constexpr usize kSites = usize{1} << 20;
  static constexpr usize kBuckets = 4096;

  FieldGroup* add(u64 type, u64 words);
  GroupSite* new_site(const abi::GroupSite& site);

  SpinLock lock_;  // guards what follows; sites and `agreed` are read without it
  ReservedTable<FieldGroup, kGroups> groups_;
  ReservedTable<GroupSite, kSites> sites_;
  u32 count_ = 0;  // their numbers begin at 1; 0 ends a chain
  u32 sites_used_ = 0;
  u32 buckets_[kBuckets] = {};
};

}  // namespace bigfoot::rt
