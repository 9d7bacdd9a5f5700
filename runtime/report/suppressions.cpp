#include "runtime/report/suppressions.h"

#include "runtime/options/usage_error.h"
#include "runtime/report/finding_kinds.h"
#include "runtime/report/text_report.h"

extern "C" {
// The program may define these.
__attribute__((weak, visibility("default"))) const char* __bf_default_suppressions();
__attribute__((weak, visibility("default"))) const char* __tsan_default_suppressions();
}

namespace bigfoot::rt::report {
namespace {

constexpr struct {
  const char* name;
  SuppressionType type;
} kTypes[] = {
    {"race", SuppressionType::kRace},
    {"race_top", SuppressionType::kRaceTop},
    {"mutex", SuppressionType::kMutex},
    {"thread", SuppressionType::kThread},
    {"signal", SuppressionType::kSignal},
    {"called_from_lib", SuppressionType::kCalledFromLib},
    {"deadlock", SuppressionType::kDeadlock},
    {"fingerprint", SuppressionType::kFingerprint},
    {"race_pair", SuppressionType::kRacePair},
    {"race_function", SuppressionType::kRaceFunction},
    {"race_variable", SuppressionType::kRaceVariable},
    {"race_field", SuppressionType::kRaceField},
    {"race_library", SuppressionType::kRaceLibrary},
};
constexpr Text kPairSign = {"<->", 3};

bool frame_matches(Text pattern, const FrameRef& f) {
  if (pattern_matches(pattern, f.source->function)) return true;
  if (pattern_matches(pattern, f.source->file)) return true;
  return f.at->at.module != nullptr && pattern_matches(pattern, f.at->at.module->path);
}

bool stack_matches(Text pattern, const ResolvedStack& stack, bool top_only) {
  bool found = false;
  for_each_frame(stack, [&](const FrameRef& f) {
    found = frame_matches(pattern, f);
    return !found && !top_only;
  });
  return found;
}

bool global_matches(Text pattern, const ReportObject& object) {
  return object.global != nullptr && pattern_matches(pattern, object.global->name);
}

// As in TSan: the stacks of the accesses (or of the finding), where the threads were created, and
// the variable.
bool report_matches(Text pattern, const Report& r) {
  for (u32 i = 0; i < r.access_count; ++i)
    if (stack_matches(pattern, r.accesses[i].stack, false)) return true;
  for (u32 i = 0; i < r.thread_count; ++i)
    if (stack_matches(pattern, r.threads[i].created, false)) return true;
  return stack_matches(pattern, r.where, false) || global_matches(pattern, r.object);
}

bool top_matches(Text pattern, const Report& r) {
  for (u32 i = 0; i < r.access_count; ++i)
    if (stack_matches(pattern, r.accesses[i].stack, true)) return true;
  return global_matches(pattern, r.object);
}

bool library_matches(Text pattern, const Report& r) {
  for (u32 i = 0; i < r.access_count; ++i) {
    const ResolvedStack& stack = r.accesses[i].stack;
    const Module* module = stack.count == 0 ? nullptr : stack.pcs[0]->at.module;
    if (module != nullptr && pattern_matches(pattern, module->path)) return true;
  }
  return false;
}

bool fingerprint_matches(Text digits, const Report& r) {
  u64 value = 0;
  return parse_hex(digits, value) && value == r.fingerprint;
}

// The access as a reader would name it: its function or file outside the system's headers.
bool access_matches(Text pattern, const ReportAccess& access) {
  const FrameRef f = headline(access.stack);
  return f.source != nullptr &&
         (pattern_matches(pattern, f.source->function) || pattern_matches(pattern, f.source->file));
}

usize find_pair_sign(Text pattern) {
  for (usize i = 0; i < pattern.size; ++i)
    if (pattern.drop_front(i).starts_with(kPairSign)) return i;
  return pattern.size;
}

// Both are empty if there is no sign between them.
struct Pair {
  Text a, b;
};
Pair split_pair(Text pattern) {
  const usize sign = find_pair_sign(pattern);
  if (sign == pattern.size) return {};
  return {pattern.take_front(sign).trimmed(), pattern.drop_front(sign + kPairSign.size).trimmed()};
}

bool pair_matches(Text pattern, const Report& r) {
  if (r.access_count != 2) return false;
  const auto [a, b] = split_pair(pattern);
  for (u32 i = 0; i < 2; ++i)
    if (access_matches(a, r.accesses[i]) && access_matches(b, r.accesses[1 - i])) return true;
  return false;
}

bool function_matches(Text pattern, const Report& r) {
  for (u32 i = 0; i < r.access_count; ++i) {
    const FrameRef f = headline(r.accesses[i].stack);
    if (f.source != nullptr && pattern_matches(pattern, f.source->function)) return true;
  }
  return false;
}

bool variable_matches(Text pattern, const Report& r) {
  return global_matches(pattern, r.object);
}

// `bank::Account::balance` is also written `bank::Account.balance`.
bool field_name_matches(Text pattern, Text field) {
  if (pattern_matches(pattern, field)) return true;
  usize end = field.size;  // of the type
  while (end > 0 && !field.drop_front(end).starts_with("::")) --end;
  TextBuffer dotted;
  dotted.add(field.take_front(end)).add(".").add(field.drop_front(end + 2));
  return end != 0 && pattern_matches(pattern, dotted.text());
}

bool field_matches(Text pattern, const Report& r) {
  for (u32 i = 0; i < r.access_count; ++i)
    if (field_name_matches(pattern, r.accesses[i].field)) return true;
  return false;
}

// Types that cover races only, each with its rule.
constexpr struct {
  SuppressionType type;
  bool (*matches)(Text pattern, const Report& report);
} kRaceRules[] = {
    {SuppressionType::kRace, report_matches},
    {SuppressionType::kRaceTop, top_matches},
    {SuppressionType::kCalledFromLib, library_matches},
    {SuppressionType::kRacePair, pair_matches},
    {SuppressionType::kRaceFunction, function_matches},
    {SuppressionType::kRaceVariable, variable_matches},
    {SuppressionType::kRaceField, field_matches},
    {SuppressionType::kRaceLibrary, library_matches},
};

bool covers(const Suppression& s, const Report& r, SuppressionType kind) {
  if (s.type == SuppressionType::kFingerprint) return fingerprint_matches(s.pattern, r);
  if (kind != SuppressionType::kRace) return s.type == kind && report_matches(s.pattern, r);
  for (const auto& rule : kRaceRules)
    if (rule.type == s.type) return rule.matches(s.pattern, r);
  return false;
}

// What is wrong with a pattern of this type; null if nothing is.
const char* wrong_pattern(SuppressionType type, Text pattern) {
  u64 value = 0;
  if (type == SuppressionType::kFingerprint && !parse_hex(pattern, value))
    return "a fingerprint is 16 hexadecimal digits";
  if (type == SuppressionType::kRacePair)
    if (const auto [a, b] = split_pair(pattern); a.empty() || b.empty())
      return "a pair is written 'A <-> B'";
  return nullptr;
}

u64 days_in(u64 year, u64 month) {
  if (month != 2) return month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31;
  return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0 ? 29 : 28;
}

// Days as is_day() wants them compare like texts.
bool is_before(Text a, Text b) {
  usize i = 0;
  while (i < a.size && i < b.size && a[i] == b[i]) ++i;
  return i < a.size && i < b.size && a[i] < b[i];
}

// The civil day of a number of days since 1970-01-01 (Howard Hinnant's algorithm, days from March).
void add_day(u64 days, TextBuffer& to) {
  const u64 shifted = days + 719468;  // since 0000-03-01
  const u64 era = shifted / 146097, of_era = shifted % 146097;
  const u64 year_of_era = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
  const u64 of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const u64 from_march = (5 * of_year + 2) / 153;
  const u64 day = of_year - (153 * from_march + 2) / 5 + 1;
  const u64 month = from_march < 10 ? from_march + 3 : from_march - 9;
  to.add_decimal(era * 400 + year_of_era + (month <= 2 ? 1 : 0));
  to.add(month < 10 ? "-0" : "-").add_decimal(month);
  to.add(day < 10 ? "-0" : "-").add_decimal(day);
}

void add_place(const Suppression& s, TextBuffer& to) {
  to.add(s.source).add(":").add_decimal(s.line).add(": ");
  to.add(name_of(s.type)).add(":").add(s.pattern);
}

}  // namespace

bool is_day(Text t) {
  if (t.size != 10 || t[4] != '-' || t[7] != '-') return false;
  u64 year = 0, month = 0, day = 0;
  return parse_decimal(t.take_front(4), year) &&
         parse_decimal(t.drop_front(5).take_front(2), month) &&
         parse_decimal(t.drop_front(8), day) && month >= 1 && month <= 12 && day >= 1 &&
         day <= days_in(year, month);
}

bool pattern_matches(Text pattern, Text name) {
  if (name.empty()) return false;
  const bool from_start = pattern.starts_with("^");
  const bool to_end = pattern.ends_with("$");
  if (from_start) pattern = pattern.drop_front(1);
  if (to_end && !pattern.empty()) --pattern.size;
  bool first = true;
  for (;;) {
    const usize n = pattern.find('*');
    const Text piece = pattern.take_front(n);
    const bool last = n == pattern.size;
    if (last && to_end && !(first && from_start)) return name.ends_with(piece);
    if (first && from_start) {
      if (!name.starts_with(piece)) return false;
      name = name.drop_front(piece.size);
      if (last) return !to_end || name.empty();
    } else {
      // The leftmost place is as good as any: what follows has then the most room.
      while (!name.starts_with(piece)) {
        if (name.empty()) return false;
        name = name.drop_front(1);
      }
      name = name.drop_front(piece.size);
      if (last) return true;
    }
    pattern = pattern.drop_front(n + 1);
    first = false;
  }
}

Text name_of(SuppressionType type) {
  for (const auto& t : kTypes)
    if (t.type == type) return t.name;
  return "?";
}

Text Suppressions::today() {
  if (!today_.empty()) return today_;
  TextBuffer day;
  add_day(sys::wall_clock_milliseconds() / (u64{24} * 3600 * 1000), day);
  return today_ = keeper_.copy(day.text());
}

// Takes "[until 2027-01-31]" off the front of a line.
bool Suppressions::take_until(Text& line, Text& until, TextBuffer& error) {
  if (line[0] != '[') return true;
  const usize close = line.find(']');
  const Text inside = line.take_front(close).drop_front(1).trimmed();
  const Text day = inside.drop_front(Text("until").size).trimmed();
  if (close == line.size || !inside.starts_with("until") || !is_day(day)) {
    error.add("expected '[until YYYY-MM-DD] type:pattern', found '").add(line).add("'");
    return false;
  }
  until = keeper_.copy(day);
  line = line.drop_front(close + 1).trimmed();
  return true;
}

bool Suppressions::add_line(Text line, Text source, u32 number, TextBuffer& error) {
  line = line.trimmed();
  if (line.empty() || line[0] == '#') return true;
  error.clear();
  error.add(source).add(":").add_decimal(number).add(": ");
  Text until;
  if (!take_until(line, until, error)) return false;
  const usize colon = line.find(':');
  const Text type = line.take_front(colon);
  const Text pattern = line.drop_front(colon + 1).trimmed();
  if (colon == line.size) {
    error.add("expected 'type:pattern', found '").add(line).add("'");
    return false;
  }
  if (pattern.empty()) {
    error.add("the pattern after '").add(type).add(":' is empty");
    return false;
  }
  for (const auto& t : kTypes) {
    if (!(type == t.name)) continue;
    if (const char* wrong = wrong_pattern(t.type, pattern)) {
      error.add(wrong).add(", found '").add(pattern).add("'");
      return false;
    }
    auto* s = keeper_.make<Suppression>();
    *s = {};
    s->type = t.type;
    s->pattern = keeper_.copy(pattern);
    s->source = source;
    s->line = number;
    s->until = until;
    s->expired = !until.empty() && is_before(until, today());
    (last_ == nullptr ? first_ : last_->next) = s;
    last_ = s;
    ++count_;
    return true;
  }
  error.add("unknown suppression type '").add(type).add("'");
  return false;
}

bool Suppressions::parse(Text text, Text source, TextBuffer& error) {
  const Text kept = keeper_.copy(source);
  for (u32 number = 1; !text.empty(); ++number) {
    const usize n = text.find('\n');
    if (!add_line(text.take_front(n), kept, number, error)) return false;
    text = text.drop_front(n + 1);
  }
  return true;
}

bool Suppressions::load_file(const char* path) {
  TextBuffer content, error;
  if (!read_file(path, content)) return false;
  if (!parse(content.text(), path, error)) usage_error(error.text());
  return true;
}

void Suppressions::load(const Options& options) {
  TextBuffer error;
  if (__tsan_default_suppressions != nullptr &&
      !parse(__tsan_default_suppressions(), "__tsan_default_suppressions", error))
    usage_error(error.text());
  if (__bf_default_suppressions != nullptr &&
      !parse(__bf_default_suppressions(), "__bf_default_suppressions", error))
    usage_error(error.text());
  const Text path = options.suppressions;
  if (path.empty() || load_file(path.data)) return;
  char exe[1024];
  const Text program(exe, sys::executable_path(exe, sizeof exe));
  TextBuffer beside;
  beside.add(program.take_front(program.size - program.basename().size)).add(path);
  if (path[0] != '/' && load_file(beside.c_str())) return;
  error.clear();
  error.add("cannot read the suppressions file '").add(path).add("'");
  usage_error(error.text());
}

Suppression* Suppressions::match(const Report& report) const {
  const SuppressionType kind = report.kind == ReportKind::kFinding
                                   ? finding_kind(report.title).suppressed_by
                                   : SuppressionType::kRace;
  for (Suppression* s = first_; s != nullptr; s = s->next) {
    if (!covers(*s, report, kind)) continue;
    if (!s->expired) return s;
    __atomic_fetch_add(&s->missed, 1, __ATOMIC_RELAXED);
  }
  return nullptr;
}

void Suppressions::list_matched(TextBuffer& to) const {
  u64 matched = 0;
  for (const Suppression* s = first_; s != nullptr; s = s->next) matched += s->hits != 0 ? 1 : 0;
  if (matched == 0) return;
  to.add(kToolName).add(": Matched ").add_decimal(matched).add(" suppressions (pid=");
  to.add_decimal(sys::process_id()).add("):\n");
  for (const Suppression* s = first_; s != nullptr; s = s->next)
    if (s->hits != 0)
      to.add_decimal(s->hits).add(" ").add(name_of(s->type)).add(":").add(s->pattern).add("\n");
}

void Suppressions::list_unused(TextBuffer& to) const {
  bool any = false;
  for (const Suppression* s = first_; s != nullptr; s = s->next) {
    if (s->hits != 0 || s->missed != 0) continue;
    if (!any) to.add(kToolName).add(": Unused suppressions:\n");
    any = true;
    add_place(*s, to);
    to.add("\n");
  }
}

void Suppressions::list_expired(TextBuffer& to) const {
  for (const Suppression* s = first_; s != nullptr; s = s->next) {
    if (s->missed == 0) continue;
    to.add(kToolName).add(": ");
    add_place(*s, to);
    to.add(" expired after ").add(s->until).add(" and would have hidden ");
    to.add_decimal(s->missed).add(s->missed == 1 ? " report\n" : " reports\n");
  }
}

}  // namespace bigfoot::rt::report
