// Regions in which a thread's accesses or its synchronisation are, or are not, the program's:
// brackets that are closed in the order they were opened.
#pragma once

#include "runtime/context/thread.h"

namespace bigfoot::rt::lard {

struct RegionKind {
  bool accesses;
  bool sync;
  bool tracked;
  bool operator==(const RegionKind&) const = default;
};

// What there was before the region, and where it began.
struct Region {
  RegionKind kind;
  Pc begin;
  u32 ignore_accesses;
  u32 ignore_sync;
  Region* outer;
};

void open_region(Thread& t, RegionKind kind, Pc pc);
// The innermost region; null if none is open.
inline const Region* innermost(const Thread& t) {
  return t.regions;
}
// REQUIRES: one is open.
void close_region(Thread& t);
// Of a thread that ends. Whoever began one and did not end it is told; REQUIRES: no lock is held.
void complain_of_open_regions(const Thread& t);
void close_all_regions(Thread& t);

// Something the caller says is the program's doing, whatever region it is in.
class ProgramSync {
 public:
  explicit ProgramSync(Thread& t) : t_(t), before_(t.ignore_sync) { t.ignore_sync = 0; }
  ~ProgramSync() { t_.ignore_sync = before_; }
  ProgramSync(const ProgramSync&) = delete;
  ProgramSync& operator=(const ProgramSync&) = delete;

 private:
  Thread& t_;
  const u32 before_;
};

}  // namespace bigfoot::rt::lard
