#include "runtime/detect/install.h"

#include "runtime/detect/groups.h"
#include "runtime/shadow/claims.h"

namespace bigfoot::rt {

// The bytes of the word that are not ours keep their history. REQUIRES: the word is busy.
void PlaneWriter::add_others(const Cell& seen) {
  for (unsigned i = 0; i < 8; ++i)
    if ((filled_ >> i & 1) == 0) bytes_[i] = words::history_of_byte(seen, word_ + i);
  if (is_special(seen.write)) words::blank_parts(Division(seen.write), word_);
}

void PlaneWriter::write_word() {
  Cell* word = shadow::cell<8>(word_);
  Cell seen = words::load_alone(word, word_);
  while (!words::make_busy(word, seen)) seen = words::load_alone(word, word_);
  if (filled_ != kAll) add_others(seen);
  Cell whole = words::put_parts(word_, bytes_);
  whole.write_origin |= seen.write_origin & kSyncFlag;
  words::settle(word, whole);
  filled_ = 0;
}

// What comes from an array may be ordered with nothing. Nobody is at an access by a claim: such a
// block is in an array as a whole, or was shared when the array began (context/claims.h).
void PlaneWriter::enter_block(uptr a) {
  const uptr block = shadow::claim_begin(a);
  if (block == block_) return;
  block_ = block;
  shadow::cell<8>(a);  // makes the region
  u32* claim = shadow::claim_word(a);
  if (load_relaxed(claim) != shadow::kShared) exchange(claim, shadow::kShared);
}

void PlaneWriter::put_byte(uptr a, const Cell& c) {
  enter_block(a);
  const uptr word = a & ~uptr{7};
  if (filled_ != 0 && word != word_) write_word();
  word_ = word;
  filled_ |= static_cast<u8>(1u << (a & 7));
  bytes_[a & 7] = c;
}

void PlaneWriter::put_word(uptr a, const Cell& c) {
  enter_block(a);
  if (element_ != 4 && element_ != 2) return store_cell(shadow::cell<8>(a), c);
  const Division d = Division::pieces(static_cast<unsigned>(element_));
  words::for_each_part(d, {a, 8}, [&](Cell* cell, ByteRange part) {
    store_cell(cell, words::as_part(d, c, part.size));
  });
  store_cell(shadow::cell<8>(a), {d.mark(), 0, 0, 0});
}

void PlaneWriter::put(ByteRange run, const Cell& c) {
  uptr a = run.begin;
  const uptr end = run.end();
  for (; a < end && (a & 7) != 0; ++a) put_byte(a, c);
  if (a + 8 <= end && filled_ != 0) write_word();
  if (c.blank() && a + 8 <= end) a = end & ~uptr{7};  // whole words of nothing stay untouched
  for (; a + 8 <= end; a += 8) put_word(a, c);
  for (; a < end; ++a) put_byte(a, c);
}

void PlaneWriter::finish() {
  if (filled_ != 0) write_word();
}

}  // namespace bigfoot::rt
