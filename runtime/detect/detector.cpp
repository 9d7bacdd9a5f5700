#include "runtime/detect/detector_impl.h"

namespace bigfoot::rt {
namespace {

using detail::access;

void merge(Outcome& all, const Outcome& one) {
  all.sync_here |= one.sync_here;
  all.recorded |= one.recorded;
}

// Word by word.
template <bool kWrites>
Outcome range(Accessor& who, ByteRange r) {
  Outcome all;
  for (uptr a = r.begin, stop; a < r.end(); a = stop) {
    stop = (a & ~uptr{7}) + 8;
    if (stop > r.end()) stop = r.end();
    merge(all, access<kWrites>(who, {a, stop - a}));
  }
  return all;
}

void find_in_cell(const Cell& c, const Observer& me, const ReadSets& sets, bool writes,
                  ByteRange piece, RaceList<8>& races) {
  Conflict found = unordered_write(c, me);
  if (!found && writes) found = unordered_read(c, me, sets);
  if (found) races.add(found, piece);
}

constexpr ByteRange common(ByteRange a, ByteRange b) {
  const uptr begin = a.begin > b.begin ? a.begin : b.begin;
  return {begin, (a.end() < b.end() ? a.end() : b.end()) - begin};
}

// What one word tells of its bytes in `r`; of several accesses that a cell speaks for, those that
// have bytes there are meant. False if it was divided otherwise meanwhile: then some of the cells
// may have been nobody's, or a smaller part's.
bool try_find(Cell* word, uptr word_address, const Observer& me, const ReadSets& sets, ByteRange r,
              bool writes, RaceList<8>& races) {
  const Cell c = words::load_alone(word, word_address);
  if (!is_special(c.write)) {
    find_in_cell(c, me, sets, writes, common({word_address, 8}, r), races);
    return true;
  }
  words::for_each_part(Division(c.write), {word_address, 8}, [&](Cell* cell, ByteRange part) {
    if (part.end() > r.begin && part.begin < r.end())
      find_in_cell(load_cell(cell), me, sets, writes, common(part, r), races);
  });
  return load_acquire(&word->write) == c.write;
}

}  // namespace

template <unsigned G>
Outcome detect_read(Accessor& who, uptr a) {
  return access<false>(who, {a, G});
}
template <unsigned G>
Outcome detect_write(Accessor& who, uptr a) {
  return access<true>(who, {a, G});
}

template Outcome detect_read<1>(Accessor&, uptr);
template Outcome detect_read<2>(Accessor&, uptr);
template Outcome detect_read<4>(Accessor&, uptr);
template Outcome detect_read<8>(Accessor&, uptr);
template Outcome detect_write<1>(Accessor&, uptr);
template Outcome detect_write<2>(Accessor&, uptr);
template Outcome detect_write<4>(Accessor&, uptr);
template Outcome detect_write<8>(Accessor&, uptr);

Outcome detect_read_range(Accessor& who, ByteRange r) {
  return range<false>(who, r);
}
Outcome detect_write_range(Accessor& who, ByteRange r) {
  return range<true>(who, r);
}

void find_conflicts(const Observer& me, const ReadSets& sets, ByteRange r, bool writes,
                    const RaceSink& sink) {
  for (uptr w = r.begin & ~uptr{7}; w < r.end(); w += 8) {
    Cell* word = shadow::cell_if_present<8>(w);
    if (word == nullptr) continue;
    RaceList<8> races;
    while (!try_find(word, w, me, sets, r, writes, races)) races = {};
    races.deliver(sink);
  }
}

}  // namespace bigfoot::rt
