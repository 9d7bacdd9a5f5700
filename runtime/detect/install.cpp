#include "runtime/detect/install.h"

namespace bigfoot::rt {

template <unsigned G>
bool PlaneWriter::agree() const {
  for (unsigned i = 0; i < 8; ++i)
    if (!(bytes_[i] == bytes_[i & ~(G - 1)])) return false;
  return true;
}

// Returns what the word's own cell becomes.
template <unsigned G>
Cell PlaneWriter::write_pieces() {
  for (unsigned i = 0; i < 8; i += G) store_cell(shadow::cell<G>(word_ + i), bytes_[i]);
  return {split_mark(G), 0, 0, 0};
}

// The bytes of the word that are not ours keep their history. REQUIRES: the word is busy.
void PlaneWriter::add_others(const Cell& seen) {
  const bool split = is_special(seen.write);
  const unsigned g = split ? split_granularity(seen.write) : 8;
  for (unsigned i = 0; i < 8; ++i) {
    if ((filled_ >> i & 1) != 0) continue;
    bytes_[i] = split ? load_cell(words::piece_cell(g, word_ + i)) : seen;
    if (!split) bytes_[i].write_origin &= ~kSyncFlag;
  }
  if (split) words::blank_pieces(word_, g);
}

void PlaneWriter::write_word() {
  Cell* word = shadow::cell<8>(word_);
  Cell seen = words::load_settled(word);
  while (!words::make_busy(word, seen)) seen = words::load_settled(word);
  if (filled_ != kAll) add_others(seen);
  Cell whole = agree<8>()   ? bytes_[0]
               : agree<4>() ? write_pieces<4>()
               : agree<2>() ? write_pieces<2>()
                            : write_pieces<1>();
  whole.write_origin |= seen.write_origin & kSyncFlag;
  words::settle(word, whole);
  filled_ = 0;
}

void PlaneWriter::put_byte(uptr a, const Cell& c) {
  const uptr word = a & ~uptr{7};
  if (filled_ != 0 && word != word_) write_word();
  word_ = word;
  filled_ |= static_cast<u8>(1u << (a & 7));
  bytes_[a & 7] = c;
}

void PlaneWriter::put(ByteRange run, const Cell& c) {
  uptr a = run.begin;
  const uptr end = run.end();
  for (; a < end && (a & 7) != 0; ++a) put_byte(a, c);
  if (a + 8 <= end && filled_ != 0) write_word();
  if (c.blank() && a + 8 <= end) a = end & ~uptr{7};  // whole words of nothing stay untouched
  for (; a + 8 <= end; a += 8) store_cell(shadow::cell<8>(a), c);
  for (; a < end; ++a) put_byte(a, c);
}

void PlaneWriter::finish() {
  if (filled_ != 0) write_word();
}

}  // namespace bigfoot::rt
