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
  const Masked m = Masked::of(seen);
  Cell bytes[8];
  for (unsigned i = 0; i < 8; ++i) bytes[i] = m.of_byte(i);
  part_cell(division_of(bytes), word_address);  // made before anybody has to wait for the word
  if (!make_busy(word, seen)) return false;
  settle(word, put_parts(word_address, bytes));
  return true;
}

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
