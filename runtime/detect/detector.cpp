#include "runtime/detect/detector_impl.h"

namespace bigfoot::rt {
namespace {

using detail::access;

void merge(Outcome& all, const Outcome& one) {
  all.sync_here |= one.sync_here;
  all.recorded |= one.recorded;
}

// Cuts [a, end) into naturally aligned pieces, the largest that fit.
template <bool kWrites>
Outcome range(Accessor& who, ByteRange r) {
  Outcome all;
  uptr a = r.begin, end = r.end();
  while (a < end) {
    usize left = end - a;
    if ((a & 7) == 0 && left >= 8)
      merge(all, access<8, kWrites>(who, a)), a += 8;
    else if ((a & 3) == 0 && left >= 4)
      merge(all, access<4, kWrites>(who, a)), a += 4;
    else if ((a & 1) == 0 && left >= 2)
      merge(all, access<2, kWrites>(who, a)), a += 2;
    else
      merge(all, access<1, kWrites>(who, a)), a += 1;
  }
  return all;
}

void find_in_cell(const Cell& c, const Observer& me, const ReadSets& sets, bool writes,
                          ByteRange piece, const RaceSink& sink) {
  Conflict found = unordered_write(c, me);
  if (!found && writes) found = unordered_read(c, me, sets);
  if (found) sink.found(sink.context, {found, piece});
}

}  // namespace

template <unsigned G>
Outcome detect_read(Accessor& who, uptr a) {
  return access<G, false>(who, a);
}
template <unsigned G>
Outcome detect_write(Accessor& who, uptr a) {
  return access<G, true>(who, a);
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
    Cell c = words::load_settled(word);
    if (!is_special(c.write)) {
      find_in_cell(c, me, sets, writes, {w, 8}, sink);
      continue;
    }
    unsigned g = split_granularity(c.write);
    for (uptr p = w; p < w + 8; p += g)
      if (p + g > r.begin && p < r.end())
        find_in_cell(load_cell(words::piece_cell(g, p)), me, sets, writes, {p, g}, sink);
  }
}

}  // namespace bigfoot::rt
