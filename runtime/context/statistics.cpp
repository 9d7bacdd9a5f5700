#include "runtime/context/statistics.h"

#include "runtime/base/print.h"
#include "runtime/context/reclaim.h"
#include "runtime/context/runtime.h"
#include "runtime/heap/heap.h"
#include "runtime/options/options.h"
#include "runtime/report/report.h"

namespace bigfoot::rt {
namespace {

struct Count {
  const char* name;
  u64 value;
};

constexpr usize kMaxCounts = 40;
struct Counts {
  Count items[kMaxCounts];
  usize size = 0;
  void add(const char* name, u64 value) {
    BF_CHECK(size < kMaxCounts);
    items[size++] = {name, value};
  }
};

// In the order of Rule.
constexpr const char* kRuleNames[kRuleCount] = {
    "read_same_epoch",  "read_shared",     "read_exclusive", "read_share",
    "write_same_epoch", "write_exclusive", "write_shared"};

void collect(Counts& out) {
  const Thread* t = thread_or_null();
  for (usize i = 0; i < kRuleCount; ++i)
    out.add(kRuleNames[i], runtime.rule_totals[i] + (t == nullptr ? 0 : t->rule_counts[i]));
  out.add("threads", runtime.next_thread);
  out.add("slots", runtime.slots.count());
  out.add("epoch_chunks_left", runtime.stamps.chunks_left());
  out.add("read_sets", runtime.sets.live());
  out.add("contexts", runtime.depot.contexts());
  out.add("locksets", runtime.locksets.count());
  out.add("stacks_given_up", runtime.depot.stacks_given_up());
  ReclaimCounts r = reclaim_counts();
  out.add("collections", r.runs);
  shadow::Usage shadow = shadow::usage();
  static constexpr const char* kPlanes[] = {"regions_plane_1", "regions_plane_2", "regions_plane_4",
                                            "regions_plane_8"};
  for (usize i = 0; i < abi::kPlaneCount; ++i) out.add(kPlanes[i], shadow.regions[i]);
  heap::Usage heap = heap::usage();
  out.add("heap_live_bytes", heap.live_bytes);
  out.add("heap_live_blocks", heap.live_blocks);
  report::Counts reports = report::counts();
  out.add("races_reported", reports.reported);
  out.add("races_duplicate", reports.duplicates);
  out.add("races_suppressed", reports.suppressed);
}

void write_text(const Counts& counts) {
  for (usize i = 0; i < counts.size; ++i) {
    LineBuffer<128> line;
    line.add("bigfoot: ").add(counts.items[i].name).add(" ").add_decimal(counts.items[i].value);
    line.add("\n").write_to(sys::kStderr);
  }
}

void write_json(const Counts& counts, const char* path) {
  sys::Fd fd = sys::open_for_append(path);
  if (fd == sys::kNoFd) {
    LineBuffer<1024> line;
    line.add("bigfoot: cannot write the statistics to ").add(path).add("\n");
    return line.write_to(sys::kStderr);
  }
  LineBuffer<2048> text;
  text.add("{");
  for (usize i = 0; i < counts.size; ++i) {
    text.add(i == 0 ? "\"" : ", \"").add(counts.items[i].name).add("\": ");
    text.add_decimal(counts.items[i].value);
  }
  text.add("}\n").write_to(fd);
  sys::close(fd);
}

}  // namespace

void print_statistics() {
  if (u64 n = runtime.depot.stacks_given_up(); n != 0) {
    LineBuffer<256> line;
    line.add("bigfoot: the table of calling contexts was full; ").add_decimal(n);
    line.add(" times an access was recorded without its call stack\n").write_to(sys::kStderr);
  }
  const Options& o = options();
  if (!o.stats && o.stats_path[0] == 0) return;
  Counts counts;
  collect(counts);
  if (o.stats_path[0] != 0) write_json(counts, o.stats_path);
  else write_text(counts);
}

}  // namespace bigfoot::rt
