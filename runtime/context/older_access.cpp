#include "runtime/context/older_access.h"

#include "runtime/detect/groups.h"

namespace bigfoot::rt {
namespace {

// The bytes around a piece that one access has left its record on.
class Trail {
 public:
  explicit Trail(const report::Access& access)
      : access_(access), slot_clock_(access.clock), writes_(is_write(access.kind)) {}

  // The first byte of the unbroken record that `from` is on; not before `limit`.
  uptr begin(uptr from, uptr limit) const {
    while (from > limit) {
      const Piece left = piece_at(from - 1);
      if (!left_on(left)) break;
      from = left.bytes.begin;
    }
    return from < limit ? limit : from;
  }
  uptr end(uptr from, uptr limit) const {
    while (from < limit) {
      const Piece right = piece_at(from);
      if (!left_on(right)) break;
      from = right.bytes.end();
    }
    return from > limit ? limit : from;
  }

 private:
  struct Piece {
    ByteRange bytes;
    Cell cell;  // blank where nothing was ever recorded
  };
  // The piece that has this byte's history. Words in transition count as whole: they tell nothing.
  static Piece piece_at(uptr byte) {
    const uptr word_address = byte & ~uptr{7};
    const Cell* word = shadow::cell_if_present<8>(byte);
    const Cell c = word == nullptr ? Cell{} : load_cell(word);
    if (c.write == kBusy || c.torn()) return {{word_address, 8}, {}};
    if (!is_special(c.write)) return {{word_address, 8}, c};
    if (is_follower(c.write)) return {{word_address, 8}, load_cell(word - distance_of(c.write))};
    if (is_masked(c.write)) return {{byte, 1}, Masked::of(c).of_byte(byte & 7)};
    const Division d(c.write);
    const unsigned from = d.begin_of(byte & 7), to = d.end_of(byte & 7);
    return {{word_address + from, to - from}, load_cell(words::part_cell(d, word_address + from))};
  }

  bool left_on(const Piece& piece) const {
    const Cell& c = piece.cell;
    if (is_special(c.write) || c.torn()) return false;
    if (writes_) return is_mine(Stamp{c.write}, c.writer());
    if (!c.read_by_many()) return is_mine(Stamp{c.read}, c.reader());
    for (const ReadEntry e : runtime.sets.get(read_set_of(c.read)))
      if (is_mine(e.stamp, e.origin)) return true;
    return false;
  }
  bool is_mine(Stamp stamp, Origin origin) const {
    if (raw(stamp) == 0 || origin != access_.origin) return false;
    const Epoch e = runtime.stamps.decode(stamp);
    return e.clock == slot_clock_ && runtime.slots.owner_at(e) == access_.thread;
  }

  const report::Access& access_;
  const u64 slot_clock_;
  const bool writes_;
};

// How far a search goes beyond the access itself, over others of the same place side by side with
// it.
constexpr usize kNeighbourBytes = usize{1} << 20;

// A check of fields that belong together has recorded it: the access is that of the field at
// `byte`.
void name_piece(const GroupSite& site, uptr byte, report::Access& a) {
  const auto& piece = site.piece[site.piece_at(byte - a.address)];
  const Pc pc = load_relaxed(&site.pcs[&piece - site.piece]);
  a.address += piece.offset;
  a.size = piece.bytes;
  a.origin = runtime.depot.part_of(a.origin, pc, {a.address, a.size});
}

}  // namespace

PastAccess past_access(const Conflict& c) {
  const Epoch e = runtime.stamps.decode(c.stamp);
  return {runtime.slots.owner_at(e), e.clock, c.origin, locks_at(c.origin, c.stamp)};
}

report::Access older_access(const PastAccess& past, ByteRange piece) {
  report::Access a;
  a.kind = runtime.depot.kind(past.origin);
  a.size = runtime.depot.size(past.origin);
  a.address = piece.begin;
  if (a.size == 0)  // the depot is full: the piece is all there is
    a.size = piece.size;
  else if (a.size <= kMaxPhaseBytes)
    a.address = first_byte(piece.begin, a.size, runtime.depot.phase(past.origin));
  else
    a.exact = false;
  a.origin = past.origin;
  if (const GroupSite* site = runtime.field_groups.site_at(runtime.depot.pc(past.origin)))
    name_piece(*site, piece.begin, a);
  show_vptr_write(a);
  a.thread = past.thread;
  a.clock = past.clock;
  a.locks = past.locks;
  return a;
}

uptr range_begin(const report::Race& race) {
  const report::Access& older = race.previous;
  const uptr known = race.overlap.begin;
  const usize reach = older.size + kNeighbourBytes;
  const Trail trail(older);
  const uptr begin = trail.begin(known, known > reach ? known - reach : 0);
  // The current access has left its own record on the bytes it has in common with the older one,
  // from its first to the piece that told.
  const ByteRange current{race.current.address, race.current.size};
  const uptr end = trail.end(race.overlap.end(), known + older.size);
  if (begin > 0 && current.contains(begin - 1) && end - begin < older.size) {
    const uptr from_end = end - older.size;
    return from_end <= known ? from_end : known;
  }
  // Several accesses from there, each after the other.
  return begin + (known - begin) / older.size * older.size;
}

}  // namespace bigfoot::rt
