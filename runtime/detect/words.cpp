#include "runtime/detect/words.h"

namespace bigfoot::rt::words {

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
