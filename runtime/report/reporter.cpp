#include "runtime/report/reporter.h"

#include "runtime/report/finding_kinds.h"
#include "runtime/report/hooks.h"
#include "runtime/report/json_report.h"
#include "runtime/report/text_report.h"

namespace bigfoot::rt::report {
namespace {

void count(u64& counter) {
  fetch_add(&counter, u64{1});
}

// Tells objects apart without asking the symbolizer.
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

// The functions of lard.h are inlined into who calls them.
FrameRef outside_of_our_headers(const ResolvedPc& pc) {
  u32 i = 0;
  while (i + 1 < pc.frame_count && pc.frames[i].file.ends_with("/bigfoot/lard.h")) ++i;
  return {&pc, &pc.frames[i], i + 1 < pc.frame_count};
}

}  // namespace

Reporter::Reporter(const Facts& facts, Symbolizer& symbolizer, const Options& options)
    : facts_(facts),
      symbolizer_(symbolizer),
      options_(options),
      output_(options),
      symbols_(keeper_, symbolizer),
      suppressions_(keeper_) {
  output_.check();
  suppressions_.load(options);
  seen_.initialise();
  scratch_ = keeper_.make<Stack>();
  symbols_.modules().refresh();
  describe_run();
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

// As it is at the start: the program may change its folder and its arguments.
void Reporter::describe_run() {
  TextBuffer command;
  if (read_file("/proc/self/cmdline", command)) run_.command = keeper_.copy(command.text());
  constexpr usize kLongestPath = 4096;
  TextBuffer folder;
  if (char* to = folder.room(kLongestPath))
    run_.folder = keeper_.copy({to, sys::current_folder(to, kLongestPath)});
  run_.perturb = options_.perturb;
  run_.options = keeper_.copy(sys::environment("BIGFOOT_OPTIONS"));
}

// Entered twice by one thread only if the run time itself faults inside a report and the program's
// handler races: then there is no second report inside the first.
class Reporter::Lock {
 public:
  explicit Lock(Reporter& r) : reporter_(r), entered_(load_relaxed(&r.owner_) != sys::thread_id()) {
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
  const bool entered_;
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
    count_seen(verdict);
    return false;
  }
  ReportMemory memory;
  return deliver(judge_race(race, key, memory));
}

bool Reporter::finding(const Finding& finding) {
  if (!options_.report_bugs || !(options_.*finding_kind(finding.title).enabled)) return false;
  ReportMemory memory;
  return deliver(judge_finding(finding, memory));
}

void Reporter::complain(Text what, Pc caller) {
  Lock lock(*this);
  if (!lock.entered()) return;
  u64 key = mix_bits(caller);
  for (usize i = 0; i < what.size; ++i) key = mix_bits(key ^ static_cast<u8>(what[i]));
  if (!complaints_.insert(key | 1).fresh) return;
  TextBuffer line;
  line.add("bigfoot: ").add(what).add(", called in ");
  write_place(outside_of_our_headers(*symbols_.code(caller)), options_, line);
  line.add("\n");
  output_.text(line.text());
}

// The code address of an access.
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

Reporter::Judged Reporter::judge_race(const Race& race, u64 seen_key, ReportMemory& memory) {
  Lock lock(*this);
  if (!lock.entered()) return {};
  const u64 current = place_of(race.current.origin);
  const u64 previous = place_of(race.previous.origin);
  const u64 places = race_key(race, current, previous, object_key(race));
  if (options_.suppress_equal_stacks && printed_places_.find(places) != nullptr) {
    seen_.put(seen_key, Verdict::kPrinted);
    count(duplicates_);
    return {};
  }
  Report* report = Resolver(facts_, symbols_, options_, memory).race(race);
  if (report == nullptr) {
    count(dropped_);
    return {};
  }
  report->run = run_;
  const Judged judged = judge(*report);
  // A suppression looks at whole stacks: the same two places reached in another way are judged
  // anew.
  if (judged.suppression == nullptr) printed_places_.insert(places);
  const bool cached =
      judged.suppression == nullptr || verdict_of(judged.suppression) != Verdict::kPrinted;
  if (cached) seen_.put(seen_key, verdict_of(judged.suppression));
  return judged;
}

Reporter::Judged Reporter::judge_finding(const Finding& finding, ReportMemory& memory) {
  Lock lock(*this);
  if (!lock.entered()) return {};
  const Report* report = Resolver(facts_, symbols_, options_, memory).finding(finding);
  if (report != nullptr) return judge(*report);
  count(dropped_);
  return {};
}

Reporter::Judged Reporter::judge(const Report& report) {
  if (Suppression* s = suppressions_.match(report)) return {&report, s};
  const bool fresh = printed_fingerprints_.insert(report.fingerprint | 1).fresh;
  if (fresh || !options_.suppress_equal_stacks) return {&report, nullptr};
  count(duplicates_);
  return {};
}

bool Reporter::deliver(const Judged& judged) {
  if (judged.report == nullptr) return false;
  if (ask_program(*judged.report, judged.suppression != nullptr)) {
    count_suppressed(judged.suppression);
    return false;
  }
  if (!publish(*judged.report)) return false;
  if (options_.halt_on_error) halt();
  return true;
}

bool Reporter::publish(const Report& report) {
  TextBuffer text, json;
  write_text(report, options_, output_.color(), text);
  const bool wants_json = output_.wants_json();
  if (wants_json || program_wants_json()) write_json(report, options_, json);
  {
    Lock lock(*this);
    if (!lock.entered()) return false;
    if (options_.max_reports != 0 && reported_ >= options_.max_reports) {
      count(dropped_);
      return false;
    }
    count(reported_);
    output_.text(text.text());
    if (wants_json) output_.json(json.text());
  }
  tell_program(report, program_wants_json() ? json.c_str() : nullptr);
  return true;
}

// Suppressions are numbered in the order of the list.
Verdict Reporter::verdict_of(const Suppression* suppression) const {
  u32 number = 0;
  for (const Suppression* s = suppressions_.first(); s != nullptr && suppression != nullptr;
       s = s->next, ++number)
    if (s == suppression && number <= kMaxCachedSuppression) return suppressed_by(number);
  return Verdict::kPrinted;
}

void Reporter::count_suppressed(Suppression* suppression) {
  count(suppressed_);
  if (suppression != nullptr) count(suppression->hits);
}

void Reporter::count_seen(Verdict verdict) {
  if (!is_suppressed(verdict)) return count(duplicates_);
  Suppression* s = suppressions_.first();
  for (u32 i = suppression_of(verdict); i > 0; --i) s = s->next;
  count_suppressed(s);
}

void Reporter::halt() {
  const int code = finish(0);
  if (options_.abort_on_error) sys::abort_process();
  sys::exit_process(code);
}

Counts Reporter::counts() const {
  return {load_relaxed(&reported_), load_relaxed(&duplicates_), load_relaxed(&suppressed_),
          load_relaxed(&dropped_), load_relaxed(&given_up_)};
}

int Reporter::finish(int wanted) {
  Lock lock(*this);
  if (!lock.entered()) return wanted;
  const Counts c = counts();
  TextBuffer text, json;
  if (c.reported != 0)
    text.add(kToolName).add(": reported ").add_decimal(c.reported).add(" warnings\n");
  if (c.dropped != 0)
    text.add(kToolName).add(": ").add_decimal(c.dropped).add(" more were found and not printed\n");
  if (c.given_up != 0)
    text.add(kToolName)
        .add(": the history of accesses was given up ")
        .add_decimal(c.given_up)
        .add(" times to keep to memory_limit_mb; races with them may have been missed\n");
  if (options_.print_suppressions) suppressions_.list_matched(text);
  if (options_.report_unused_suppressions) suppressions_.list_unused(text);
  suppressions_.list_expired(text);
  if (output_.wants_json()) {
    write_json_end(c, suppressions_, json);
    output_.json(json.text());
  }
  if (output_.lost_json() != 0)
    text.add(kToolName).add(": ").add_decimal(output_.lost_json()).add(" JSON records were lost\n");
  if (text.size() != 0) output_.text(text.text());
  symbolizer_.stop();
  if (c.reported != 0 && options_.exitcode != 0) return static_cast<int>(options_.exitcode);
  return wanted == 0 && output_.lost_json() != 0 ? kExitLostOutput : wanted;
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
