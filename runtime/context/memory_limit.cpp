#include "runtime/context/memory_limit.h"

#include "runtime/context/runtime.h"
#include "runtime/options/options.h"
#include "runtime/report/report.h"
#include "runtime/shadow/claims.h"
#include "runtime/sys/sys.h"

namespace bigfoot::rt {
namespace {

using shadow::kCellsPerPage;
// Pages that may have come before the planes are measured again: 4 MiB, or a quarter of what is
// left. Measuring takes 30 microseconds for each gigabyte of shadow that is reserved.
constexpr u64 kFewPages = 1024;

struct State {
  u64 most_pages = 0;  // 0: no limit
  u64 growth = 0;      // pages that may have come since the planes were measured
  u64 patience = kFewPages;
};
constinit State state;

u64 pages_held() {
  u64 held = shadow::pages_of_tables();
  shadow::for_each_page([&](unsigned, Cell*) { ++held; });
  return held;
}

void measure() {
  const u64 held = pages_held();
  if (held > state.most_pages) return store_relaxed(&detail::memory_limit_is_reached, u32{1});
  const u64 quarter = (state.most_pages - held) / 4;
  store_relaxed(&state.patience, quarter > kFewPages ? quarter : kFewPages);
}

// Where objects of synchronisation live, that is still known afterwards.
void blank_page(Cell* page) {
  bool has_sync = false;
  for (usize i = 0; i < kCellsPerPage; ++i) has_sync |= page[i].has_sync();
  if (!has_sync) return sys::discard_pages(page, sys::kPageBytes);
  for (usize i = 0; i < kCellsPerPage; ++i)
    store_cell(&page[i], {0, page[i].write_origin & kSyncFlag, 0, 0});
}

}  // namespace

void initialise_memory_limit() {
  state.most_pages = (options().memory_limit_mb << 20) / sys::kPageBytes;
  shadow::first_records_are_counted = detail::memory_is_limited = state.most_pages != 0;
}

void detail::count_growth(usize pages) {
  if (fetch_add(&state.growth, u64{pages}) < load_relaxed(&state.patience)) return;
  store_relaxed(&state.growth, u64{0});
  measure();
}

void give_up_history() {
  shadow::forget_claims();
  shadow::for_each_page([](unsigned, Cell* page) { blank_page(page); });
  shadow::start_over();
  runtime.arrays.for_each([](ArrayRecord& r) {
    if (r.generation % 2 != 0) r.shadow.clear(0, r.shadow.array().size);
  });
  report::history_given_up();
  state.growth = 0;
  state.patience = kFewPages;
  store_relaxed(&detail::memory_limit_is_reached, u32{0});
}

}  // namespace bigfoot::rt
