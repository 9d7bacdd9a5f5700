#include "runtime/context/statistics.h"

#include "runtime/base/print.h"
#include "runtime/context/arrays.h"
#include "runtime/context/claims.h"
#include "runtime/context/counters.h"
#include "runtime/context/reclaim.h"
#include "runtime/context/runtime.h"
#include "runtime/context/verify.h"
#include "runtime/detect/groups.h"
#include "runtime/heap/heap.h"
#include "runtime/options/options.h"
#include "runtime/report/report.h"

namespace bigfoot::rt {
namespace {

struct Count {
  const char* name;
  u64 value;
  u64 per = 0;  // not zero: the figure is value / per
};

// Nine digits behind the point: the best check ratios are below a millionth.
template <class Line>
void add_figure(Line& line, const Count& c) {
  if (c.per == 0) {
    line.add_decimal(c.value);
    return;
  }
  line.add_decimal(c.value / c.per).add(".");
  u64 rest = c.value % c.per;
  for (int i = 0; i < 9; ++i, rest %= c.per) line.add_decimal((rest *= 10) / c.per);
}

constexpr usize kMaxCounts = 64;
struct Counts {
  Count items[kMaxCounts];
  usize size = 0;
  void add(const char* name, u64 value, u64 per = 0) {
    BF_CHECK(size < kMaxCounts);
    items[size++] = {name, value, per};
  }
};

// In the order of Rule.
constexpr const char* kRuleNames[kRuleCount] = {
    "read_same_epoch",  "read_shared",     "read_exclusive", "read_share",
    "write_same_epoch", "write_exclusive", "write_shared"};

// Only programs built with --bigfoot-count have them.
void collect_checks(Counts& out) {
  const abi::AccessCounters c = counter_totals();
  if (c.accesses == 0) return;
  const u64 checks = c.single_checks + c.range_checks + c.strided_checks;
  out.add("accesses", c.accesses);
  out.add("checks", checks);
  out.add("check_ratio", checks, c.accesses);
  out.add("checks_single", c.single_checks);
  out.add("checks_range", c.range_checks);
  out.add("checks_strided", c.strided_checks);
  out.add("range_elements", c.range_elements);
}

// Only programs compiled for a detector that compresses arrays have them.
void collect_arrays(Counts& out) {
  if (!runtime.arrays_on) return;
  // In the order of ArrayMode.
  static constexpr const char* kModes[kArrayModeCount] = {
      "arrays_coarse", "arrays_block", "arrays_stride",  "arrays_split",
      "arrays_prefix", "arrays_fine",  "arrays_segments"};
  const ArrayCounts c = runtime.arrays.counts();
  out.add("array_elements", c.elements);
  out.add("shadow_locations", c.locations);
  if (c.elements != 0) out.add("shadow_fraction", c.locations, c.elements);
  for (usize i = 0; i < kArrayModeCount; ++i) out.add(kModes[i], c.arrays[i]);
  // In the order of ArrayHome.
  static constexpr const char* kHomes[kArrayHomeCount] = {"arrays_heap", "arrays_global",
                                                          "arrays_mapped"};
  for (usize i = 0; i < kArrayHomeCount; ++i) out.add(kHomes[i], c.homes[i]);
  out.add("array_refinements", c.refinements);
  const FootprintCounts f = footprint_counts();
  out.add("footprint_commits", f.commits);
  out.add("footprint_merges", f.merged);
}

// Only programs built with --bigfoot-verify have them.
void collect_verified(Counts& out) {
  if (!verifying) return;
  const VerifyCounts c = verify_counts();
  out.add("verified_accesses", c.accesses);
  out.add("verified_checks", c.checks);
  out.add("unverified_places", c.violations);
}

// Words of the program with a history, when there were most of them; of these, the ones that have
// no cell of their own because they share one.
shadow::WordCounts most_words;
u64 solitudes = 0;

void count_words_now() {
  const shadow::WordCounts now = shadow::count_words();
  if (now.with_history > most_words.with_history) most_words = now;
}

void collect_words(Counts& out) {
  if (runtime.field_groups.count() != 0) {
    out.add("field_groups", runtime.field_groups.count());
    out.add("field_groups_agreed", runtime.field_groups.agreed());
    const words::GroupCounts groups = words::group_counts();
    out.add("groups_formed", groups.formed);
    out.add("groups_cut", groups.cut);
  }
  count_words_now();
  out.add("object_words", most_words.with_history);
  out.add("object_locations", most_words.with_history - most_words.followers);
}

void collect(Counts& out) {
  collect_checks(out);
  collect_arrays(out);
  collect_verified(out);
  collect_words(out);
  const Thread* t = thread_or_null();
  for (usize i = 0; i < kRuleCount; ++i)
    out.add(kRuleNames[i], runtime.rule_totals[i] + (t == nullptr ? 0 : t->rule_counts[i]));
  out.add("claim_stops", claim_stops());
  out.add("threads", runtime.next_thread);
  out.add("slots", runtime.slots.count());
  out.add("epoch_chunks_left", runtime.stamps.chunks_left());
  out.add("read_sets", runtime.sets.live());
  out.add("contexts", runtime.depot.contexts());
  out.add("mosaics", shadow::mosaics.count());
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
    line.add("bigfoot: ").add(counts.items[i].name).add(" ");
    add_figure(line, counts.items[i]);
    line.add("\n").write_to(sys::kStderr);
  }
}

[[gnu::noinline]] void complain_of(const char* path) {
  LineBuffer<1024> line;
  line.add("bigfoot: cannot write the statistics to ").add(path).add("\n").write_to(sys::kStderr);
}

bool write_json(const Counts& counts, const char* path) {
  LineBuffer<2304> text;
  text.add("{");
  for (usize i = 0; i < counts.size; ++i) {
    text.add(i == 0 ? "\"" : ", \"").add(counts.items[i].name).add("\": ");
    add_figure(text, counts.items[i]);
  }
  text.add("}\n");
  const sys::Fd fd = sys::open_for_append(path);
  const bool written = fd != sys::kNoFd && text.write_to(fd);
  if (fd != sys::kNoFd) sys::close(fd);
  if (!written) complain_of(path);
  return written;
}

}  // namespace

bool statistics_wanted() {
  return options().stats || options().stats_path[0] != 0;
}

void note_solitude() {
  if (!statistics_wanted()) return;
  ++solitudes;
  if ((solitudes & (solitudes - 1)) == 0) count_words_now();
}

bool print_statistics() {
  if (u64 n = runtime.depot.stacks_given_up(); n != 0) {
    LineBuffer<256> line;
    line.add("bigfoot: the table of calling contexts was full; ").add_decimal(n);
    line.add(" times an access was recorded without its call stack\n").write_to(sys::kStderr);
  }
  if (!statistics_wanted()) return true;
  const Options& o = options();
  Counts counts;
  collect(counts);
  if (o.stats_path[0] != 0) return write_json(counts, o.stats_path);
  write_text(counts);
  return true;
}

}  // namespace bigfoot::rt
