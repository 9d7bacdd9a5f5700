#include "runtime/report/reporter.h"

#include "runtime/report/text_report.h"

namespace bigfoot::rt::report {
namespace {

void count(u64& counter) {
  fetch_add(&counter, u64{1});
}

u64 quick_object_key(const ObjectFacts& object, uptr address) {
  switch (object.kind) {
    case ObjectKind::kHeap:
      return raw(object.allocated) + (u64{1} << 32);
    case ObjectKind::kStack:
      return 2;
    case ObjectKind::kTls:
      return 3;
    case ObjectKind::kFd:
      return 4;
    case ObjectKind::kUnknown:
    case ObjectKind::kGlobal:
      break;
  }
  return mix_bits(address);
}

}  // namespace

Reporter::Reporter(const Facts& facts, Symbolizer& symbolizer, const Options& options)
    : facts_(facts),
      symbolizer_(symbolizer),
      options_(options),
      output_(options),
      symbols_(keeper_, symbolizer) {
  output_.check();
  seen_.initialise();
  scratch_ = keeper_.make<Stack>();
  symbols_.modules().refresh();
}

void Reporter::enter() {
  const u64 blocked = sys::block_signals();
  lock_.lock();
  blocked_signals_ = blocked;
  store_relaxed(&owner_, sys::thread_id());
}

void Reporter::leave() {
  const u64 blocked = blocked_signals_;
  store_relaxed(&owner_, u32{0});
  lock_.unlock();
  sys::restore_signals(blocked);
}

// The run time's own memory faulted, or a hook of the C library races: there is no second report
// inside a report.
class Reporter::Lock {
 public:
  explicit Lock(Reporter& r) : reporter_(r) {
    entered_ = load_relaxed(&r.owner_) != sys::thread_id();
    if (entered_)
      r.enter();
    else
      count(r.dropped_);
  }
  ~Lock() {
    if (entered_) reporter_.leave();
  }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;
  bool entered() const { return entered_; }

 private:
  Reporter& reporter_;
  bool entered_;
};

bool Reporter::race_found(const Race& race) {
  if (!options_.report_bugs) return false;
  if (!options_.report_atomic_races &&
      (is_atomic(race.current.kind) || is_atomic(race.previous.kind)))
    return false;
  const uptr address = race.overlap.begin;
  const u64 key = race_key(race, raw(race.current.origin), raw(race.previous.origin),
                           quick_object_key(facts_.object(address), address));
  Verdict verdict;
  if (options_.suppress_equal_stacks && seen_.find(key, verdict)) {
    count(is_suppressed(verdict) ? suppressed_ : duplicates_);
    return false;
  }
  const bool printed = judge_race(race, key);
  if (printed && options_.halt_on_error) halt();
  return printed;
}

u64 Reporter::place_of(Origin origin) {
  if (origin == kNoOrigin) return 0;
  facts_.stack(origin, *scratch_);
  return scratch_->count == 0 ? raw(origin) : scratch_->pcs[0];
}

u64 Reporter::object_key(const Race& race) {
  const uptr address = race.overlap.begin;
  const ObjectFacts object = facts_.object(address);
  if (object.kind == ObjectKind::kHeap) return place_of(object.allocated);
  if (object.kind != ObjectKind::kUnknown && object.kind != ObjectKind::kGlobal)
    return quick_object_key(object, address);
  const ResolvedGlobal* global = symbols_.global(address);
  return global == nullptr ? 0 : global->bytes.begin;
}

bool Reporter::judge_race(const Race& race, u64 seen_key) {
  Lock lock(*this);
  if (!lock.entered()) return false;
  const u64 current = place_of(race.current.origin);
  const u64 previous = place_of(race.previous.origin);
  const u64 places = race_key(race, current, previous, object_key(race));
  if (options_.suppress_equal_stacks && printed_places_.find(places) != nullptr) {
    seen_.put(seen_key, Verdict::kPrinted);
    count(duplicates_);
    return false;
  }
  ReportMemory memory;
  const Report* report = Resolver(facts_, symbols_, options_, memory).race(race);
  if (report == nullptr) {
    count(dropped_);
    return false;
  }
  printed_places_.insert(places);
  seen_.put(seen_key, Verdict::kPrinted);
  return first_with(report->fingerprint) && publish(*report);
}

bool Reporter::first_with(u64 fingerprint) {
  const bool fresh = printed_fingerprints_.insert(fingerprint | 1).fresh;
  if (fresh || !options_.suppress_equal_stacks) return true;
  count(duplicates_);
  return false;
}

bool Reporter::publish(const Report& report) {
  if (options_.max_reports != 0 && reported_ >= options_.max_reports) {
    count(dropped_);
    return false;
  }
  count(reported_);
  text_.clear();
  write_text(report, options_, output_.color(), text_);
  output_.text(text_.text());
  return true;
}

bool Reporter::finding(const Finding& finding) {
  if (!options_.report_bugs) return false;
  bool printed = false;
  {
    Lock lock(*this);
    if (!lock.entered()) return false;
    ReportMemory memory;
    const Report* report = Resolver(facts_, symbols_, options_, memory).finding(finding);
    if (report == nullptr)
      count(dropped_);
    else
      printed = first_with(report->fingerprint) && publish(*report);
  }
  if (printed && options_.halt_on_error) halt();
  return printed;
}

void Reporter::halt() {
  const int code = finish(0);
  if (options_.abort_on_error) sys::abort_process();
  sys::exit_process(code);
}

Counts Reporter::counts() const {
  return {load_relaxed(&reported_), load_relaxed(&duplicates_), load_relaxed(&suppressed_),
          load_relaxed(&dropped_)};
}

int Reporter::finish(int wanted) {
  Lock lock(*this);
  if (!lock.entered()) return wanted;
  const Counts c = counts();
  text_.clear();
  if (c.reported != 0)
    text_.add(kToolName).add(": reported ").add_decimal(c.reported).add(" warnings\n");
  if (c.dropped != 0)
    text_.add(kToolName).add(": ").add_decimal(c.dropped).add(" more were found and not printed\n");
  if (text_.size() != 0) output_.text(text_.text());
  symbolizer_.stop();
  return c.reported != 0 && options_.exitcode != 0 ? static_cast<int>(options_.exitcode) : wanted;
}

void Reporter::modules_changing() {
  Lock lock(*this);
  if (lock.entered()) symbols_.modules().refresh();
}

void Reporter::before_fork() {
  enter();
}
void Reporter::after_fork_parent() {
  leave();
}
void Reporter::after_fork_child() {
  symbolizer_.after_fork_child();
  reported_ = duplicates_ = suppressed_ = dropped_ = 0;
  const u64 blocked = blocked_signals_;
  store_relaxed(&owner_, u32{0});
  lock_.reset_after_fork();
  sys::restore_signals(blocked);
}

}  // namespace bigfoot::rt::report
