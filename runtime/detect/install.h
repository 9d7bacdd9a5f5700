// Histories that come from elsewhere (a compressed array) into the planes.
#pragma once

#include "runtime/detect/words.h"

namespace bigfoot::rt {

// Takes runs of bytes in ascending order and gives each the history that comes with it. A word is
// divided where its bytes differ, and into elements if these are its halves or quarters: inlined
// tests look for those in planes of their own, and would find nothing there for the rest of the
// epoch. (Not into bytes: that would be eight cells for one.)
//
// REQUIRES: the planes hold no history of these bytes, and nobody looks for any there meanwhile,
// except for the inlined test, which may meet the truth a little early. Other bytes of the first
// and the last word may be in use.
class PlaneWriter {
 public:
  explicit PlaneWriter(usize element) : element_(element) {}
  void put(ByteRange run, const Cell& c);
  void finish();

 private:
  void enter_block(uptr a);
  void put_word(uptr a, const Cell& c);
  void put_byte(uptr a, const Cell& c);
  void write_word();
  void add_others(const Cell& seen);

  static constexpr u8 kAll = 0xff;
  const usize element_;
  uptr block_ = ~uptr{0};  // of claims: the latest one
  uptr word_ = 0;          // the one being filled
  u8 filled_ = 0;          // a bit for each of its bytes that is there
  Cell bytes_[8] = {};
};

}  // namespace bigfoot::rt
