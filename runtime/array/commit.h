// A footprint on its way into the shadow of an array: one step of FastTrack's rules for each part.
#pragma once

#include "runtime/array/footprint.h"
#include "runtime/base/growing.h"
#include "runtime/detect/detector_impl.h"

namespace bigfoot::rt {

// The bytes of an array that have one history: all of [begin, end), or of those the `unit` bytes
// from `phase` on in every `period`. Offsets into the array, from which periods count.
struct PartBytes {
  usize begin, end;
  usize period = 0, phase = 0, unit = 0;

  // The first of them; not before `end` if there is none.
  usize first() const {
    if (period == 0) return begin;
    const usize in_period = begin % period;
    if (in_period >= phase && in_period < phase + unit) return begin;
    return begin - in_period + phase + (in_period > phase ? period : 0);
  }
  bool empty() const { return first() >= end; }
  bool contains(usize a) const {
    if (a < begin || a >= end) return false;
    return period == 0 || (a % period >= phase && a % period < phase + unit);
  }
};

// Bytes of a footprint that race with an older access.
struct RacyPart {
  Conflict older;
  PartBytes bytes;
};

class Commit {
 public:
  // `calls`: how many accesses and ranges the footprint was made of.
  Commit(Accessor& who, const Footprint& f, bool writes, u64 calls = 1)
      : who_(who), f_(f), writes_(writes), calls_(calls) {}
  ~Commit() { races_.release_storage(); }
  Commit(const Commit&) = delete;
  Commit& operator=(const Commit&) = delete;

  const Footprint& footprint() const { return f_; }
  u64 calls() const { return calls_; }

  // Whether this epoch has done such an access to the part already: then nothing would change, and
  // the part need not be divided for it. So a part keeps the origin of the access that was first.
  bool settled(const Cell& c) const {
    const u32 mine = raw(who_.me.stamp);
    if (c.write == mine) return true;
    if (writes_) return false;
    return c.read == mine || (c.read_by_many() && set_contains(who_.sets, c.read, who_.me.stamp));
  }

  // REQUIRES: all bytes of the part are the footprint's, and there are some.
  void apply(Cell& c, const PartBytes& bytes) {
    const Step s = writes_ ? detail::step<true>(c, who_) : detail::step<false>(c, who_);
    if (who_.rule_counts != nullptr) ++who_.rule_counts[static_cast<usize>(s.rule)];
    recorded_ |= !(s.next == c);
    c = s.next;
    if (BF_UNLIKELY(static_cast<bool>(s.conflict))) races_.push({s.conflict, bytes});
  }

  bool recorded() const { return recorded_; }
  const Growing<RacyPart>& races() const { return races_; }

 private:
  Accessor& who_;
  const Footprint f_;
  const bool writes_;
  const u64 calls_;
  bool recorded_ = false;
  Growing<RacyPart> races_;
};

}  // namespace bigfoot::rt
