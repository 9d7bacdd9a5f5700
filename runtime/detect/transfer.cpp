// History that is copied to another place, byte by byte exact, whatever the alignment.
//
// Where source and target agree modulo 8, a word takes over the word's cell, and its pieces if it
// is split. Elsewhere each byte of the target word gets the history of its own source byte.
#include "runtime/detect/detector.h"
#include "runtime/detect/groups.h"
#include "runtime/sys/sys.h"

namespace bigfoot::rt {
namespace {

constexpr uptr word_of(uptr a) {
  return a & ~uptr{7};
}

Cell without_sync(Cell c) {
  c.write_origin &= ~kSyncFlag;
  return c;
}

// What is known of one byte, in the form a cell of plane 1 has.
Cell history_of_byte(uptr a) {
  Cell* word = shadow::cell_if_present<8>(a);
  if (word == nullptr) return {};
  return words::history_of_byte(words::load_alone(word, a), a);
}

class Transfer {
 public:
  Transfer(uptr from, uptr to, usize bytes, const SyncHooks& hooks)
      : shift_(from - to), to_{to, bytes}, hooks_(hooks) {}

  // As memmove: what is still to be read is never overwritten first.
  void run() {
    const uptr first = to_.begin & ~(kChunkBytes - 1), last = (to_.end() - 1) & ~(kChunkBytes - 1);
    const bool downwards = shift_ <= ~shift_;  // the source is above the target
    for (uptr c = downwards ? first : last;; c += downwards ? kChunkBytes : -kChunkBytes) {
      const uptr begin = c < to_.begin ? to_.begin : c;
      const uptr end = to_.end() - c < kChunkBytes ? to_.end() : c + kChunkBytes;
      chunk(begin, end, downwards);
      if (c == (downwards ? last : first)) return;
    }
  }

 private:
  // Where nothing was ever recorded there is nothing to copy. A gigabyte of that costs a look at
  // each 64 KiB of it.
  static constexpr uptr kChunkBytes = uptr{64} << 10;

  void chunk(uptr begin, uptr end, bool downwards) {
    if (!has_history(begin + shift_, end + shift_)) return clear(begin, end);
    const uptr first = word_of(begin), last = word_of(end - 1);
    for (uptr w = downwards ? first : last;; w += downwards ? 8 : -uptr{8}) {
      word(w);
      if (w == (downwards ? last : first)) return;
    }
  }

  static bool has_history(uptr begin, uptr end) {
    const bool one_region = begin >> abi::kRegionBits == (end - 1) >> abi::kRegionBits;
    if (end - begin < kChunkBytes || !one_region) return true;  // not worth a look
    const Cell* first = shadow::cell_if_present<8>(begin);
    const Cell* last = shadow::cell_if_present<8>(end - 1);
    if (first == nullptr) return false;
    constexpr usize kPages = kChunkBytes / 8 * sizeof(Cell) / sys::kPageBytes + 1;
    u8 resident[kPages] = {};
    const uptr page = reinterpret_cast<uptr>(first) & ~(sys::kPageBytes - 1);
    const usize pages = (reinterpret_cast<uptr>(last) - page) / sys::kPageBytes + 1;
    sys::resident_pages(reinterpret_cast<void*>(page), pages, resident);
    for (usize i = 0; i < pages; ++i)
      if ((resident[i] & 1) != 0) return true;
    return false;
  }

  void word(uptr w) {
    const uptr begin = w < to_.begin ? to_.begin : w;
    const uptr end = to_.end() - w < 8 ? to_.end() : w + 8;
    if (end - begin == 8 && (shift_ & 7) == 0)
      whole_word(w + shift_, w);
    else
      bytes(begin, end);
  }

  void whole_word(uptr from, uptr to) {
    Cell* source = shadow::cell_if_present<8>(from);
    Cell c = source == nullptr ? Cell{} : words::load_alone(source, from);
    if (c.has_sync()) hooks_.take(hooks_.context, {from, 8});
    Cell* target = c == Cell{} ? shadow::cell_if_present<8>(to) : shadow::cell<8>(to);
    if (target == nullptr) return;
    const Cell old = words::load_alone(target, to);
    if (is_special(old.write) || old.has_sync()) clear(to, to + 8);
    if (is_special(c.write)) {
      while (!words::make_busy(source, c)) c = words::load_alone(source, from);
      const Division d(c.write);
      words::for_each_part(d, {from, 8}, [&](Cell* cell, ByteRange part) {
        const Cell history = load_cell(cell);
        close_reads(history);
        store_cell(words::part_cell(d, to + (part.begin - from)), history);
      });
      words::settle(source, c);
    } else {
      close_reads(c);
    }
    store_cell(target, without_sync(c));
  }

  void bytes(uptr begin, uptr end) {
    Cell cells[8];
    bool any = false;
    for (uptr a = begin; a < end; ++a) {
      cells[a - begin] = history_of_byte(a + shift_);
      any |= !cells[a - begin].blank();
    }
    take_objects(begin + shift_, end + shift_);
    clear(begin, end);
    if (any) put(begin, end, cells);
  }

  // Two words at most.
  void take_objects(uptr begin, uptr end) {
    for (uptr w = word_of(begin); w < end; w += 8) {
      const Cell* word = shadow::cell_if_present<8>(w);
      if (word == nullptr || !load_cell(word).has_sync()) continue;
      const uptr first = w < begin ? begin : w, last = w + 8 > end ? end : w + 8;
      hooks_.take(hooks_.context, {first, last - first});
    }
  }

  void clear(uptr begin, uptr end) {
    clear_history({begin, end - begin}, hooks_.forget, hooks_.context);
  }

  static void put(uptr begin, uptr end, const Cell* cells) {
    Cell* word = shadow::cell<8>(begin);
    for (;;) {
      const Cell c = words::load_alone(word, begin);
      const Division apart =
          in_bytes(c.write, begin & 7, static_cast<unsigned>(end - word_of(begin)));
      if (c.write != apart.mark()) {
        words::divide(word, c, word_of(begin), apart);
        continue;
      }
      if (!words::make_busy(word, c)) continue;
      for (uptr a = begin; a < end; ++a) store_cell(shadow::cell<1>(a), cells[a - begin]);
      words::settle(word, c);
      return;
    }
  }

  const uptr shift_;  // from - to, modulo 2^64
  const ByteRange to_;
  const SyncHooks& hooks_;
};

}  // namespace

void copy_history(uptr from, uptr to, usize bytes, const SyncHooks& hooks) {
  if (from == to || bytes == 0) return;
  Transfer(from, to, bytes, hooks).run();
}

void move_history(uptr from, uptr to, usize bytes, const SyncHooks& hooks) {
  if (from == to || bytes == 0) return;
  copy_history(from, to, bytes, hooks);
  // What of the source lies outside of the target.
  uptr begin = from, end = from + bytes;
  if (to > from && to < end) end = to;
  if (to < from && to + bytes > begin) begin = to + bytes;
  clear_history({begin, end - begin}, hooks.forget, hooks.context);
}

}  // namespace bigfoot::rt
