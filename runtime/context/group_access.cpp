#include "runtime/context/group_access.h"

#include "runtime/context/claims.h"
#include "runtime/context/events.h"
#include "runtime/context/on_race.h"
#include "runtime/context/perturb.h"
#include "runtime/context/reclaim.h"
#include "runtime/context/statistics.h"
#include "runtime/detect/groups.h"
#include "runtime/options/options.h"

namespace bigfoot::rt {
namespace {

bool may_form(const GroupSite& site) {
  switch (runtime.proxies) {
    case Proxies::kOff:
      return false;
    case Proxies::kAlways:
      return true;
    case Proxies::kAgreed:
      return site.group != nullptr && load_relaxed(&site.group->agreed) != 0;
  }
  return false;
}

// Whether the bytes are in an array whose history is elsewhere, any of them.
bool touches_array(ByteRange r) {
  if (BF_LIKELY(!runtime.arrays_on)) return false;
  const ArrayPart part = array_part(r.begin, r.end());
  return part.array != nullptr || part.end < r.end();
}

// Groups never cross a region, and are made of whole words in the planes.
bool one_by_one(ByteRange r) {
  const bool one_region = (r.begin ^ (r.end() - 1)) >> abi::kRegionBits == 0;
  return (r.begin & 7) != 0 || !one_region || touches_array(r);
}

// The piece that has the byte at `offset`, by the full rules. Returns where it ends.
usize access_piece(Thread& t, uptr a, const GroupSite& site, usize offset, AccessKind kind) {
  const u32 i = site.piece_at(offset);
  const auto& piece = site.piece[i];
  access_range(t, {a + piece.offset, piece.bytes}, kind, load_relaxed(&site.pcs[i]));
  return usize{piece.offset} + piece.bytes;
}

// Whether any piece would race, each told with its own place in the program.
bool pieces_race(Thread& t, uptr a, const GroupSite& site, AccessKind kind) {
  bool any = false;
  for (u32 i = 0; i < site.pieces; ++i) {
    const auto& piece = site.piece[i];
    PendingAccess p{t, {a + piece.offset, piece.bytes}, kind, load_relaxed(&site.pcs[i])};
    any |= races(p);
  }
  return any;
}

template <bool kWrites>
void group_access(Thread& t, uptr a, const GroupSite& site) {
  const ByteRange all{a, site.bytes};
  PendingAccess p{t, all, kind_of<kWrites>(), pc_of(site)};
  detail::make_room<8>(a);
  bool form = may_form(site);
  for (usize done = 0; done < all.size; form = false) {
    const usize before = done;
    with_right(t, {a + before, all.size - before}, [&] {
      Outcome out;
      Accessor who = accessor(p);
      const ByteRange rest{a + before, all.size - before};
      done =
          before + detect_group<kWrites>(who, rest, form && may_be_one_group(rest, t.stamp), out);
      if (out.recorded) note_recorded(t);
    });
    if (done < all.size) done = access_piece(t, a, site, done, p.kind);
  }
  if constexpr (!kWrites)
    for (uptr word = a; word < all.end(); word += 8)
      detail::remember_set(load_relaxed(&shadow::cell<8>(word)->read), t);
}

}  // namespace

template <bool kWrites>
void full_group(uptr a, const GroupSite& site) {
  const ByteRange all{a, site.bytes};
  if (!shadow::covers(a) || !shadow::covers(all.end())) return;
  if (__bf_thread.stamp == abi::kStampSingle) {
    RuntimeScope scope;
    for (uptr word = a; word < all.end(); word += 8) forget_ordered<8>(word);
    return;
  }
  RuntimeScope scope;
  Thread& t = current_thread();
  if (t.ignore_accesses != 0 || runtime.single) return;
  perturb(t, PerturbPoint::kAccess);
  reclaim_if_needed();
  if (BF_UNLIKELY(races_stop()) && pieces_race(t, a, site, kind_of<kWrites>())) return;
  if (BF_LIKELY(!one_by_one(all))) return group_access<kWrites>(t, a, site);
  for (usize done = 0; done < all.size;) done = access_piece(t, a, site, done, kind_of<kWrites>());
}
template void full_group<false>(uptr, const GroupSite&);
template void full_group<true>(uptr, const GroupSite&);

void add_group_piece(abi::GroupSite& site, u32 piece, Pc pc) {
  RuntimeScope scope;
  runtime.field_groups.add_piece(site, piece, pc);
}

void initialise_proxies() {
  runtime.field_groups.initialise();
  if (statistics_wanted()) words::count_groups();
  const char* mode = options().proxies;
  runtime.proxies = mode[0] == 'o'   ? Proxies::kOff
                    : mode[1] == 'l' ? Proxies::kAlways
                                     : Proxies::kAgreed;
}

}  // namespace bigfoot::rt
