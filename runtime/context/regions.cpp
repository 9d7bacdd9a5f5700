#include "runtime/context/regions.h"

#include "runtime/base/pool.h"
#include "runtime/context/arrays.h"
#include "runtime/context/runtime.h"
#include "runtime/context/verify.h"
#include "runtime/report/report.h"

namespace bigfoot::rt::lard {

void open_region(Thread& t, RegionKind kind, Pc pc) {
  RuntimeScope scope;
  auto* r = static_cast<Region*>(pool_allocate(sizeof(Region)));
  *r = {kind, pc, t.ignore_accesses, t.ignore_sync, t.regions};
  t.regions = r;
  if (kind.accesses) t.ignore_accesses = kind.tracked ? 0 : t.ignore_accesses + 1;
  hide_cursors();
  no_longer_usual();
  if (kind.sync) t.ignore_sync = kind.tracked ? 0 : t.ignore_sync + 1;
}

void close_region(Thread& t) {
  RuntimeScope scope;
  Region* r = t.regions;
  if (r->kind.accesses) t.ignore_accesses = r->ignore_accesses;
  hide_cursors();
  no_longer_usual();
  if (r->kind.sync) t.ignore_sync = r->ignore_sync;
  t.regions = r->outer;
  pool_free(r, sizeof(Region));
}

void complain_of_open_regions(const Thread& t) {
  for (const Region* r = t.regions; r != nullptr; r = r->outer)
    report::complain(r->kind.tracked
                         ? "bf_lard_tracked_begin: the thread ended inside of this region"
                         : "bf_lard_untracked_begin: the thread ended inside of this region",
                     r->begin);
}

void close_all_regions(Thread& t) {
  while (t.regions != nullptr) close_region(t);
}

}  // namespace bigfoot::rt::lard
