#include "tests/unit/runtime/scripted_threads.h"

#include <algorithm>
#include <cstdlib>

namespace bigfoot::rt::testing {
namespace {

// Of the threads that exist; one that is at an access holds its own. Who stops the others holds
// all.
std::mutex all_doors;
std::set<std::mutex*> doors;

[[maybe_unused]] const bool claims_on = shadow::claims_on =
    std::getenv("BIGFOOT_TEST_CLAIMS") != nullptr;

}  // namespace

uptr fresh_memory() {
  static uptr next = 0x10000000;
  return next += 1 << 16;
}

std::set<uptr> bytes(uptr from, usize count) {
  std::set<uptr> s;
  for (usize i = 0; i < count; ++i) s.insert(from + i);
  return s;
}

ScriptedThread::ScriptedThread(Tables& tables, const VectorClock& creator, int id)
    : tables_(tables), masks_(id % 2 == 0) {
  {
    const std::lock_guard guard(all_doors);
    doors.insert(door_.get());
  }
  knows_.assign(creator);
  BF_CHECK(tables.slots.take(creator, ThreadId{static_cast<u32>(id)}, tables.stamps, lease_));
}

ScriptedThread::~ScriptedThread() {
  {
    const std::lock_guard guard(all_doors);
    doors.erase(door_.get());
  }
  tables_.slots.retire({lease_.slot, lease_.clock}, lease_.stamp,
                       recorded_ ? lease_.clock : lease_.clock - 1);
  tables_.ended.join(knows_);
  knows_.release_storage();
}

void ScriptedThread::tick() {
  if (!recorded_) return;
  lease_.stamp = tables_.stamps.next(lease_.stamp, {lease_.slot, lease_.clock});
  ++lease_.clock;
  recorded_ = false;
}

void ScriptedThread::release(VectorClock& to) {
  to.join(knows_);
  tick();
}

// What checks.cpp of the LLVM front end emits.
bool ScriptedThread::settled_inline(uptr a, usize bytes, bool writes) const {
  if (!fast_path_ || (a & (bytes - 1)) != 0) return false;
  auto test = [&]<unsigned G>() {
    Cell* c = shadow::cell_if_present<G>(a);
    if (c == nullptr) return false;
    return (writes ? c->write : c->read) == raw(lease_.stamp);
  };
  switch (bytes) {
    case 1:
      return test.operator()<1>();
    case 2:
      return test.operator()<2>();
    case 4:
      return test.operator()<4>();
    case 8:
      return test.operator()<8>();
    default:
      return false;
  }
}

Accessor ScriptedThread::accessor(uptr a, usize bytes, bool writes, const RaceSink& sink) {
  return {{knows_, lease_.slot, lease_.stamp, tables_.stamps},
          tables_.sets,
          share_cache_,
          origins_,
          tables_.depot,
          {0x1000 + a, &bottom_, kNoLocks, writes ? AccessKind::kWrite : AccessKind::kRead, bytes},
          rule_counts_,
          sink};
}

// As the run time does it: what is in the planes goes through the detector, element by element.
std::set<uptr> ScriptedThread::commit(ArrayShadow& array, const Footprint& f, bool writes,
                                      SpinLock* lock) {
  std::set<uptr> racy;
  const uptr base = array.array().begin;
  Accessor who = accessor(f.begin, f.width, writes, {nullptr, nullptr});
  Commit c(who, f.shifted_down(base), writes);
  Footprint rest;
  if (lock != nullptr) lock->lock();
  array.commit(c, rest);
  BF_CHECK(array.valid());
  if (lock != nullptr) lock->unlock();
  for (const RacyPart& part : c.races())
    part.for_each_access(c.footprint(), f.width, [&](ByteRange access, ByteRange common) {
      BF_CHECK(access.contains(common.begin) && access.contains(common.end() - 1));
      for (usize a = common.begin; a < common.end(); ++a) BF_CHECK(racy.insert(base + a).second);
    });
  Outcome out;
  out.recorded = c.recorded();
  note(out);
  if (rest.empty()) return racy;
  for (usize i = 0; i < rest.count(); ++i)
    racy.merge(access(base + rest.begin + i * rest.step, rest.width, writes));
  return racy;
}

namespace {
template <bool kWrites>
struct Rules {
  Accessor& who;
  bool masks;
  Quick operator()(Cell* cell, const Cell& seen) const {
    return quick_rules<kWrites>(cell, seen, who);
  }
  bool shared(u32 read) const {
    if (!set_contains(who.sets, read, who.me)) return false;
    ++who.rule_counts[static_cast<usize>(Rule::kReadShared)];
    return true;
  }
  bool still_recorded(const Cell* cell) const { return rt::still_recorded(cell, who.me, who.sets); }
  MosaicSteps* steps() const {
    static thread_local MosaicSteps steps;  // of the real thread that plays the scripted ones
    return &steps;
  }
  bool wants_masks() const { return masks; }
};

RaceSink bytes_into(std::set<uptr>& racy) {
  return {&racy, [](void* context, const FoundRace& race) {
            for (uptr b = race.piece.begin; b < race.piece.end(); ++b)
              static_cast<std::set<uptr>*>(context)->insert(b);
          }};
}
}  // namespace

std::set<uptr> ScriptedThread::look(uptr a, usize bytes, bool writes) const {
  std::set<uptr> racy;
  const Observer me{knows_, lease_.slot, lease_.stamp, tables_.stamps};
  find_conflicts(me, tables_.sets, {a, bytes}, writes, bytes_into(racy));
  return racy;
}

// As context/claims.cpp does it, with another way to stop threads.
void ScriptedThread::obtain(ByteRange r) {
  obtain_rights(r, me(), [&](uptr block) {
    inside_.unlock();
    {
      const std::lock_guard guard(all_doors);
      for (std::mutex* door : doors) door->lock();
      store_release(shadow::claim_word(block), shadow::kShared);
      for (std::mutex* door : doors) door->unlock();
    }
    inside_.lock();
  });
}

void ScriptedThread::share(ByteRange r) {
  for_each_block(r, [](uptr block) {
    shadow::cell<8>(block);
    store_release(shadow::claim_word(block), shadow::kShared);
  });
}

std::set<uptr> ScriptedThread::access(uptr a, usize bytes, bool writes) {
  inside_.lock();
  std::set<uptr> racy = access_inside(a, bytes, writes);
  inside_.unlock();
  return racy;
}

// As the run time does it before the full path; the shortcuts leave first records to that.
void make_room(ByteRange r) {
  for (const uptr a : {r.begin, r.end() - 1}) {
    if (shadow::is_fresh<8>(a)) shadow::make_present<8>(a);
    if (r.size < 8 && shadow::is_fresh<1>(a)) shadow::make_present<1>(a);
    if (r.size == 2 && shadow::is_fresh<2>(a)) shadow::make_present<2>(a);
    if (r.size == 4 && shadow::is_fresh<4>(a)) shadow::make_present<4>(a);
  }
}

std::set<uptr> ScriptedThread::access_inside(uptr a, usize bytes, bool writes) {
  std::set<uptr> racy;
  if (fast_path_) make_room({a, bytes});
  if (groups_ && a % 8 == 0 && bytes % 8 == 0 && bytes > 8 && bytes / 8 <= kMaxGroupWords) {
    if (writes)
      group_access<true>({a, bytes}, racy);
    else
      group_access<false>({a, bytes}, racy);
    return racy;
  }
  if (settled_inline(a, bytes, writes)) return racy;
  const RaceSink sink = bytes_into(racy);
  Accessor who = accessor(a, bytes, writes, sink);
  bool natural = (bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8) && (a & (bytes - 1)) == 0;
  Outcome out;
  Quick q = Quick::kNotQuick;
  if (fast_path_ && natural) {
    const Parts parts = look_at_parts(a, bytes, writes);
    if (parts == Parts::kSettled) return racy;
    if (parts == Parts::kNone) q = quick(a, bytes, writes, who);
    out.recorded = is_recorded(q);
    note(out);
    if (is_recorded(q) || q == Quick::kSameEpoch) return racy;
  }
  auto sized = [&]<unsigned G>() {
    return writes ? detect_write<G>(who, a) : detect_read<G>(who, a);
  };
  if (!fast_path_ || q != Quick::kNotQuick) obtain({a, bytes});
  if (fast_path_ && q == Quick::kNotQuick)
    out = writes ? quick_then_full<true>(who, {a, bytes}) : quick_then_full<false>(who, {a, bytes});
  else if (!natural)
    out = writes ? detect_write_range(who, {a, bytes}) : detect_read_range(who, {a, bytes});
  else if (bytes == 1)
    out = sized.operator()<1>();
  else if (bytes == 2)
    out = sized.operator()<2>();
  else if (bytes == 4)
    out = sized.operator()<4>();
  else
    out = sized.operator()<8>();
  note(out);
  return racy;
}

// As the run time does it: each word by the shortcut, and by the detector what that leaves.
template <bool kWrites>
Outcome ScriptedThread::quick_then_full(Accessor& who, ByteRange r) {
  struct Access {
    Accessor& who;
    bool masks;
    Observer me() const { return who.me; }
    Origin origin() { return who.origin(); }
    bool has_read(u32 read) const { return read == raw(who.me.stamp); }
    Rules<kWrites> rules() const { return {who, masks}; }
  } access{who, masks_};
  QuickRange<kWrites, Access> quick(access);
  Outcome out;
  for (uptr a = r.begin, stop; a < r.end(); a = stop) {
    stop = std::min<uptr>((a & ~uptr{7}) + 8, r.end());
    if (quick.word(a, stop)) continue;
    ByteRange part{a, stop - a};
    obtain(part);
    Outcome one = kWrites ? detect_write_range(who, part) : detect_read_range(who, part);
    out.recorded |= one.recorded;
  }
  out.recorded |= quick.recorded();
  return out;
}

// What checks.cpp emits for fields that belong together: one cell tells, or each of them does.
bool ScriptedThread::group_settled_inline(ByteRange r, bool writes) const {
  const Cell* c = shadow::cell_if_present<8>(r.begin);
  if (c == nullptr) return false;
  auto mine = [&](const Cell* cell) {
    return (writes ? cell->write : cell->read) == raw(lease_.stamp);
  };
  const usize words = r.size / 8;
  if (mine(c) && (c->write_origin & kPartMask) >> kPartShift == words - 1) return true;
  return std::all_of(c, c + words, [&](const Cell& each) { return mine(&each); });
}

// As the run time does it: groups and words, and word by word what is not for them.
template <bool kWrites>
void ScriptedThread::group_access(ByteRange r, std::set<uptr>& racy) {
  if (fast_path_ && group_settled_inline(r, kWrites)) return;
  Accessor who = accessor(r.begin, r.size, kWrites, bytes_into(racy));
  Outcome out;
  unsigned words = 0;
  Quick q = Quick::kNotQuick;
  if (fast_path_)
    q = quick_group<kWrites>(
        r, who.me, [&] { return who.origin(); }, words);
  if ((q == Quick::kRecorded || q == Quick::kSameEpoch) && words * usize{8} == r.size) {
    out.recorded = q == Quick::kRecorded;
    return note(out);
  }
  bool may_form = true;
  for (uptr a = r.begin; a < r.end(); may_form = false) {
    const ByteRange rest{a, r.end() - a};
    obtain(rest);
    a += detect_group<kWrites>(who, rest, may_form && may_be_one_group(rest, lease_.stamp), out);
    if (a == r.end()) break;
    obtain({a, 8});
    const Outcome one = kWrites ? detect_write<8>(who, a) : detect_read<8>(who, a);
    out.recorded |= one.recorded;
    a += 8;
  }
  note(out);
}

void ScriptedThread::note(const Outcome& out) {
  if (!out.recorded || recorded_) return;
  recorded_ = true;
  knows_.set(lease_.slot, lease_.clock);
}

Parts ScriptedThread::look_at_parts(uptr a, usize bytes, bool writes) const {
  const auto settled = [&](const Cell* c) {
    return load_relaxed(writes ? &c->write : &c->read) == raw(lease_.stamp);
  };
  if (bytes == 2) return rt::look_at_parts<2>(a, settled);
  if (bytes == 4) return rt::look_at_parts<4>(a, settled);
  return Parts::kNone;
}

Quick ScriptedThread::quick(uptr a, usize bytes, bool writes, Accessor& who) {
  auto origin = [&] { return who.origin(); };
  auto sized = [&]<unsigned G>() {
    return writes ? quick_access<G, true>(a, who.me, origin, Rules<true>{who, masks_})
                  : quick_access<G, false>(a, who.me, origin, Rules<false>{who, masks_});
  };
  switch (bytes) {
    case 1:
      return sized.operator()<1>();
    case 2:
      return sized.operator()<2>();
    case 4:
      return sized.operator()<4>();
    default:
      return sized.operator()<8>();
  }
}

ScriptedThread& ScriptedRun::begin(int id, const VectorClock& creator) {
  auto& t = threads_[id];
  t = std::make_unique<ScriptedThread>(tables_, creator, id);
  t->set_fast_path(fast_path_);
  t->set_groups(groups_);
  return *t;
}

ScriptedThread& ScriptedRun::thread(int id) {
  auto& t = threads_[id];
  return t == nullptr ? begin(id, start_) : *t;
}

std::set<uptr> ScriptedRun::step(const model::Event& e) {
  ScriptedThread& t = thread(e.thread);
  switch (e.kind) {
    case model::Event::kRead:
      return t.read(e.address, e.size);
    case model::Event::kWrite:
      return t.write(e.address, e.size);
    case model::Event::kAcquire:
      t.acquire(locks_[e.address]);
      break;
    case model::Event::kRelease:
      t.release(locks_[e.address]);
      break;
    case model::Event::kFork: {
      int child = static_cast<int>(e.address);
      VectorClock published;
      t.release(published);
      if (threads_[child] == nullptr)
        begin(child, published);
      else
        threads_[child]->acquire(published);
      break;
    }
    case model::Event::kJoin:
      t.acquire(thread(static_cast<int>(e.address)).knows());
      break;
    case model::Event::kClear:
      clear_history({e.address, e.size}, nullptr, nullptr);
      break;
    case model::Event::kCopy:
      t.share({e.address, e.size});
      t.share({e.to, e.size});
      copy_history(e.address, e.to, e.size, kNoObjects);
      break;
    case model::Event::kMove:
      t.share({e.address, e.size});
      t.share({e.to, e.size});
      move_history(e.address, e.to, e.size, kNoObjects);
      break;
  }
  return {};
}

}  // namespace bigfoot::rt::testing
