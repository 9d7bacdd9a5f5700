#include "runtime/detect/words.h"

namespace bigfoot::rt::words {

namespace {
template <unsigned G>
bool agree(const Cell (&bytes)[8]) {
  for (unsigned i = 0; i < 8; ++i)
    if (!(bytes[i] == bytes[i & ~(G - 1)])) return false;
  return true;
}
}  // namespace

Division division_of(const Cell (&bytes)[8]) {
  if (agree<4>(bytes)) return Division::pieces(4);
  if (agree<2>(bytes)) return Division::pieces(2);
  u32 starts = 1;
  for (unsigned i = 1; i < 8; ++i)
    if (!(bytes[i] == bytes[i - 1])) starts |= 1u << i;
  return Division::parts(starts);
}

Cell put_parts(uptr word_address, const Cell (&bytes)[8]) {
  if (agree<8>(bytes)) return bytes[0];
  const Division d = division_of(bytes);
  for_each_part(d, {word_address, 8}, [&](Cell* cell, ByteRange part) {
    store_cell(cell, as_part(d, bytes[part.begin & 7], part.size));
  });
  return {d.mark(), 0, 0, 0};
}

bool unmask(Cell* word, const Cell& seen, uptr word_address) {
  Cell bytes[8];
  for (unsigned i = 0; i < 8; ++i) bytes[i] = history_of_byte(seen, word_address + i);
  part_cell(division_of(bytes), word_address);  // made before anybody has to wait for the word
  if (!make_busy(word, seen)) return false;
  settle(word, put_parts(word_address, bytes));
  return true;
}

template <bool kWrites>
void rewrite_claimed(Cell* word, const Cell& seen, uptr word_address, u32 mask, u32 mine,
                     u32 from) {
  Cell bytes[8];
  for (unsigned i = 0; i < 8; ++i) {
    bytes[i] = history_of_byte(seen, word_address + i);
    if ((mask >> i & 1) == 0) continue;
    if (kWrites) bytes[i] = written(mine, from);
    bytes[i].read = mine;
    bytes[i].read_origin = from;
  }
  store_cell(word, put_parts(word_address, bytes));
}
template void rewrite_claimed<false>(Cell*, const Cell&, uptr, u32, u32, u32);
template void rewrite_claimed<true>(Cell*, const Cell&, uptr, u32, u32, u32);

template <bool kWrites>
void cut_claimed(Cell* word, Division now, ByteRange bytes, u32 mine, u32 from) {
  const uptr word_address = bytes.begin & ~uptr{7};
  const auto first = static_cast<unsigned>(bytes.begin & 7),
             last = first + static_cast<unsigned>(bytes.size);
  const Division next = divided_for(now.mark(), first, last);
  // In the same plane only the parts that the bytes are in change.
  const bool in_place = next.plane() == now.plane();
  const uptr begin = in_place ? word_address + now.begin_of(first) : word_address;
  const uptr end = in_place ? word_address + now.end_of(last - 1) : word_address + 8;
  Cell* const old = part_cell(now, word_address);
  const auto shift = static_cast<unsigned>(__builtin_ctz(now.plane()));
  Cell history;
  unsigned history_end = 0;  // of the part whose history it is
  for_each_part(next, {begin, end - begin}, [&](Cell* cell, ByteRange part) {
    const auto i = static_cast<unsigned>(part.begin & 7);
    if (i >= history_end) {
      history = load_cell(&old[now.begin_of(i) >> shift]);
      close_reads(history);
      history_end = now.end_of(i);
    }
    Cell c = history;
    if (part.begin >= bytes.begin && part.end() <= bytes.end()) {
      if (kWrites) c = written(mine, from);
      c.read = mine;
      c.read_origin = from;
    }
    store_cell(cell, as_part(next, c, part.size));
  });
  if (!in_place) blank_parts(now, word_address);
  store_cell(word, {next.mark(), 0, 0, 0});
}
template void cut_claimed<false>(Cell*, Division, ByteRange, u32, u32);
template void cut_claimed<true>(Cell*, Division, ByteRange, u32, u32);

template <unsigned G>
bool divide_blank(Cell* word, uptr a, Right right) {
  const Cell* piece = shadow::cell_if_present<G>(a & ~uptr{7});
  if (piece == nullptr) return false;
  for (unsigned i = 0; i < 8 / G; ++i)
    if (!(load_cell(&piece[i]) == Cell{})) return false;
  const Cell mark{Division::pieces(G).mark(), 0, 0, 0};
  if (right != Right::kClaimed) return replace_cell(word, Cell{}, mark);
  store_cell(word, mark);
  return true;
}
template bool divide_blank<1>(Cell*, uptr, Right);
template bool divide_blank<2>(Cell*, uptr, Right);
template bool divide_blank<4>(Cell*, uptr, Right);

}  // namespace bigfoot::rt::words
