// The detector: accesses of any size and alignment, applied to the shadow.
//
// It finds the cells an access touches, splits and joins words between granularities as accesses
// demand, applies the rules and replaces the cells atomically. A race is a returned value: it
// prints nothing and knows neither threads nor reports.
//
// Words change granularity under a short exclusive state ("busy"); everything else is lock-free.
// Who updates a part of a word looks afterwards whether the word is still divided that way, and
// if not starts again: so an access is never recorded in a cell that nobody looks at any more.
#pragma once

#include "runtime/detect/rules.h"
#include "runtime/origin/depot.h"
#include "runtime/shadow/planes.h"

namespace bigfoot::rt {

// An earlier access that conflicts with this one and is not ordered before it.
struct FoundRace {
  Conflict older;
  ByteRange piece;  // the bytes of the cell that told
};

// Where races go, one call for each piece. Called after the shadow is consistent again, so that the
// receiver may take its time and even access memory itself.
struct RaceSink {
  void* context;
  void (*found)(void* context, const FoundRace& race);
};

// Races that are to be told later, at most so many of them. Nothing is written before the first one
// is: every access has such a list, and hardly any has a race.
template <u32 kMax>
class RaceList {
 public:
  void add(const Conflict& older, ByteRange piece) {
    if (count_ == kMax) return;
    stamps_[count_] = older.stamp;
    origins_[count_] = older.origin;
    begins_[count_] = piece.begin;
    sizes_[count_++] = piece.size;
  }
  void deliver(const RaceSink& sink) const {
    for (u32 i = 0; i < count_; ++i)
      sink.found(sink.context, {{stamps_[i], origins_[i]}, {begins_[i], sizes_[i]}});
  }
  bool empty() const { return count_ == 0; }
  // Adds to the list.
  RaceSink sink() {
    return {this, [](void* self, const FoundRace& race) {
              static_cast<RaceList*>(self)->add(race.older, race.piece);
            }};
  }

 private:
  u32 count_ = 0;
  Stamp stamps_[kMax];
  Origin origins_[kMax];
  uptr begins_[kMax];
  usize sizes_[kMax];
};

// What the detector needs of the accessing thread, besides what it knows.
struct Accessor {
  Observer me;
  ReadSets& sets;
  ReadShareCache& share_cache;
  OriginCache& origins;
  OriginDepot& depot;
  Place place;       // where the access is; kind and size say what it is
  u64* rule_counts;  // kRuleCount counters of the thread, or null
  RaceSink sink;
  Origin known = kNoOrigin;    // of an access that lies back; `place` is not asked then
  bool stops_at_race = false;  // an access that races leaves no trace in the cell that tells

  Origin origin() { return known != kNoOrigin ? known : origins.get(depot, place); }
};

// What an access left behind.
struct Outcome {
  bool sync_here = false;  // a synchronisation object lives in the touched words: ask it as well
  bool recorded = false;   // some cell now carries the thread's current stamp
};

// A naturally aligned access of G bytes.
template <unsigned G>
Outcome detect_read(Accessor& who, uptr a);
template <unsigned G>
Outcome detect_write(Accessor& who, uptr a);

// Any run of bytes.
Outcome detect_read_range(Accessor& who, ByteRange r);
Outcome detect_write_range(Accessor& who, ByteRange r);

// Whole words that one check stands for, each as the rules say, in as few cells as there are
// histories: a group of words takes one step. If `may_form`, and the access leaves all the words
// with the same history, they are a group from then on. Returns how many bytes from r.begin on are
// done; it stops before the first words that are not for it: a conflict, an object, a divided word.
// Those have to be accessed in another way, which tells what is to be told.
// REQUIRES: r is aligned, in one region, and no longer than kMaxGroupWords words.
template <bool kWrites>
usize detect_group(Accessor& who, ByteRange r, bool may_form, Outcome& out);

// Looks for plain accesses that conflict with one by the observer (an atomic one, or one that is
// not to happen if it races); records nothing.
void find_conflicts(const Observer& me, const ReadSets& sets, ByteRange r, bool writes,
                    const RaceSink& sink);

// Marks that a synchronisation object lives at `a`; unmarks it.
void mark_sync(uptr a);
void unmark_sync(uptr a);

// Forgets all history of the range. Calls `on_sync(word address)` for each word marked above.
using OnSync = void (*)(void* context, uptr word);
void clear_history(ByteRange r, OnSync on_sync, void* context);
// Whether anything has been recorded in whole words, or an object lives there.
bool has_history(ByteRange words);
// Lets go of what is kept at the granularity of an access to `a`, so that the inlined test of a thread
// that runs alone finds a blank cell. REQUIRES: all of it is ordered before whatever any thread
// will do.
template <unsigned G>
void forget_ordered(uptr a);
// Synchronisation objects on the way from one place to another.
struct SyncHooks {
  void* context;
  OnSync forget;  // all objects of a word end
  // The objects of these bytes, all of one word, are about to have a new address.
  void (*take)(void* context, ByteRange source);
};
// Gives `to` the history of `from`, byte by byte; what `to` had is forgotten. Any alignment; the
// ranges may overlap as with memmove. REQUIRES: nobody accesses either range meanwhile.
void copy_history(uptr from, uptr to, usize bytes, const SyncHooks& hooks);
// The same, and clears what of `from` lies outside of `to`.
void move_history(uptr from, uptr to, usize bytes, const SyncHooks& hooks);

}  // namespace bigfoot::rt
