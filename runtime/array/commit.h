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

  // The first of them from `a` on; not before `end` if there is none.
  usize next(usize a) const {
    if (period == 0) return a;
    const usize in_period = a % period;
    if (in_period < phase) return a - in_period + phase;
    return in_period < phase + unit ? a : a - in_period + period + phase;
  }
  usize first() const { return next(begin); }
  // Where the run of neighbours ends that has the byte. REQUIRES: contains(a).
  usize run_end(usize a) const {
    if (period == 0) return end;
    const usize stop = a - a % period + phase + unit;
    return stop < end ? stop : end;
  }
  bool empty() const { return first() >= end; }
  bool contains(usize a) const {
    if (a < begin || a >= end) return false;
    return period == 0 || (a % period >= phase && a % period < phase + unit);
  }
};

// Bytes of a footprint that race with an older access. Each access among them is a race of its own.
struct RacyPart {
  Conflict older;
  PartBytes bytes;

  // Calls visit(access, common) for every access of the footprint that has racy bytes, `common`
  // being a run of those. `size`: of one access. REQUIRES: all bytes are the footprint's.
  template <class Visit>
  void for_each_access(const Footprint& f, usize size, Visit&& visit) const {
    for (usize a = bytes.first(); a < bytes.end;) {
      const ByteRange access = f.access_at(a, size);
      const usize run = bytes.run_end(a), stop = access.end() < run ? access.end() : run;
      visit(access, ByteRange{a, stop - a});
      a = bytes.next(stop);
    }
  }
};

class Commit {
 public:
  // `calls`: how many accesses and ranges the footprint was made of. `size`: of one access, where
  // an element of the footprint has several.
  Commit(Accessor& who, const Footprint& f, bool writes, u64 calls = 1, usize size = 0)
      : who_(who), f_(f), writes_(writes), calls_(calls), size_(size == 0 ? f.width : size) {}
  ~Commit() { races_.release_storage(); }
  Commit(const Commit&) = delete;
  Commit& operator=(const Commit&) = delete;

  const Footprint& footprint() const { return f_; }
  u64 calls() const { return calls_; }
  usize size() const { return size_; }

  // Whether this epoch has done such an access to the part already: then nothing would change, and
  // the part need not be divided for it. So a part keeps the origin of the access that was first.
  bool settled(const Cell& c) const {
    const u32 mine = raw(who_.me.stamp);
    if (c.write == mine) return true;
    if (writes_) return false;
    return c.read == mine || (c.read_by_many() && set_contains(who_.sets, c.read, who_.me));
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
  const usize size_;
  bool recorded_ = false;
  Growing<RacyPart> races_;
};

}  // namespace bigfoot::rt
