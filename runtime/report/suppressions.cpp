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
    {"race", SuppressionType::kRace},         {"race_top", SuppressionType::kRaceTop},
    {"mutex", SuppressionType::kMutex},       {"thread", SuppressionType::kThread},
    {"signal", SuppressionType::kSignal},     {"called_from_lib", SuppressionType::kCalledFromLib},
    {"deadlock", SuppressionType::kDeadlock},
};

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

bool covers(const Suppression& s, const Report& r, SuppressionType kind) {
  const bool race = kind == SuppressionType::kRace;
  if (race && s.type == SuppressionType::kRaceTop) return top_matches(s.pattern, r);
  if (race && s.type == SuppressionType::kCalledFromLib) return library_matches(s.pattern, r);
  return s.type == kind && report_matches(s.pattern, r);
}

}  // namespace

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

bool Suppressions::add_line(Text line, Text source, u32 number, TextBuffer& error) {
  line = line.trimmed();
  if (line.empty() || line[0] == '#') return true;
  const usize colon = line.find(':');
  const Text type = line.take_front(colon);
  const Text pattern = line.drop_front(colon + 1).trimmed();
  error.clear();
  error.add(source).add(":").add_decimal(number).add(": ");
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
    auto* s = keeper_.make<Suppression>();
    *s = {t.type, keeper_.copy(pattern), source, number, 0, nullptr};
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
  for (Suppression* s = first_; s != nullptr; s = s->next)
    if (covers(*s, report, kind)) return s;
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
    if (s->hits != 0) continue;
    if (!any) to.add(kToolName).add(": Unused suppressions:\n");
    any = true;
    to.add(s->source).add(":").add_decimal(s->line).add(": ");
    to.add(name_of(s->type)).add(":").add(s->pattern).add("\n");
  }
}

}  // namespace bigfoot::rt::report
