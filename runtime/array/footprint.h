// Footprints: the elements of an array that a thread has accessed since it last synchronised, as
// one strided range (SlimState, section V-A), in bytes.
//
//   <b : e : k>  =  { b, b + k, ..., e }     each element `width` bytes from there on
#pragma once

#include "runtime/base/types.h"

namespace bigfoot::rt {

struct Footprint {
  uptr begin = 0;   // b: where the first element starts
  uptr last = 0;    // e: where the last one starts
  usize step = 0;   // k; 0 while there is only one element
  usize width = 0;  // of an element; 0: the empty footprint

  static constexpr Footprint one(uptr a, usize width) { return {a, a, 0, width}; }
  // The elements from `begin` on before `end`. REQUIRES: begin < end, step > 0.
  static constexpr Footprint run(uptr begin, uptr end, usize step, usize width) {
    const uptr last = begin + (end - 1 - begin) / step * step;
    return {begin, last, last == begin ? 0 : step, width};
  }

  constexpr bool operator==(const Footprint&) const = default;
  constexpr bool empty() const { return width == 0; }
  constexpr uptr end() const { return last + width; }
  constexpr usize count() const { return step == 0 ? 1 : (last - begin) / step + 1; }
  constexpr bool contiguous() const { return step <= width; }
  // Whether an element starts at `a`.
  constexpr bool contains(uptr a) const {
    if (a < begin || a > last) return false;
    if (step == 0) return true;
    if ((step & (step - 1)) == 0) return ((a - begin) & (step - 1)) == 0;
    return (a - begin) % step == 0;
  }
  // The access that has the byte `a`, where an element is made of accesses of `size` bytes, the
  // last one shorter if need be. REQUIRES: the byte belongs to an element.
  constexpr ByteRange access_at(uptr a, usize size) const {
    uptr from = step == 0 ? begin : begin + (a - begin) / step * step;
    if (from > last) from = last;  // elements that overlap
    const uptr stop = from + width;
    if (size < width) from += (a - from) / size * size;
    return {from, from + size < stop ? size : stop - from};
  }
  constexpr Footprint shifted_down(uptr by) const { return {begin - by, last - by, step, width}; }

  // The union with the element at `a`, if it is a strided range again: the algebraic rules of
  // section V-A, in their order. False: nothing is changed.
  constexpr bool extend(uptr a) {
    if (step != 0 && a - last == step) {  // <b : e : k> + {e + k}, first because it is by far the
      last = a;                           // commonest
      return true;
    }
    if (contains(a)) return true;  // <b : e : k> + {i} with i in it
    if (step == 0) {               // <b : b : 1> + {b + k}, {b - k}
      step = a > begin ? a - begin : begin - a;
      if (a > begin)
        last = a;
      else
        begin = a;
      return true;
    }
    if (begin - a == step) {  // <b : e : k> + {b - k}
      begin = a;
      return true;
    }
    return false;
  }

  // The union with the elements of `f`, if it is a strided range again.
  constexpr bool extend(const Footprint& f) {
    if (f.step == 0 && f.width == width) return extend(f.begin);
    if (f.width != width) return false;
    if (step == 0) {
      if (f.begin - begin == f.step || begin - f.last == f.step || f.contains(begin)) {
        const uptr single = begin;
        *this = f;
        return extend(single);
      }
      return false;
    }
    const uptr difference = f.begin > begin ? f.begin - begin : begin - f.begin;
    if (f.step != step || difference % step != 0) return false;
    if (f.begin > last && f.begin - last != step) return false;
    if (begin > f.last && begin - f.last != step) return false;
    if (f.begin < begin) begin = f.begin;
    if (f.last > last) last = f.last;
    return true;
  }
};

}  // namespace bigfoot::rt
