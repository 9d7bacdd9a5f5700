#include "runtime/report/json_report.h"

#include "runtime/report/finding_kinds.h"
#include "runtime/report/json_writer.h"
#include "runtime/report/text_report.h"

namespace bigfoot::rt::report {
namespace {

class Writer {
 public:
  Writer(const Report& report, const Options& options, TextBuffer& out)
      : report_(report), options_(options), json_(out) {}
  void write();

 private:
  void head();
  void stack(Text key, const ResolvedStack& s);
  void frame(const FrameRef& f);
  void module_place(ModuleAddress at);
  void thread_id(Text key, ThreadId id);
  void access(const ReportAccess& a, bool previous);
  void held_lock(const ReportHeldLock& lock);
  void object();
  void mutexes();
  void threads();
  void histories();
  void step(const ReportStep& s, u64 earliest);
  void run();
  void modules();
  void use(const Module* module);

  const Report& report_;
  const Options& options_;
  JsonWriter json_;
  // The modules mentioned so far; a report touches a handful.
  static constexpr u32 kMaxModules = 256;
  const Module* used_[kMaxModules];
  u32 used_count_ = 0;
};

void begin_record(JsonWriter& json, Text type) {
  json.begin_object();
  json.key("schema").string("bigfoot-report");
  json.key("version").number(kJsonVersion);
  json.key("type").string(type);
}

Text verdict_name(LockVerdict v) {
  switch (v) {
    case LockVerdict::kNoneInCommon:
      return "none-in-common";
    case LockVerdict::kOnlyReadModes:
      return "read-modes-only";
    case LockVerdict::kNothing:
      break;
  }
  return "";
}

void Writer::head() {
  begin_record(json_, report_.kind == ReportKind::kFinding ? "finding" : "race");
  json_.key("kind").string(kind_name(report_));
  json_.key("title").string(report_.title);
  TextBuffer summary;
  write_summary(report_, options_, summary);
  json_.key("summary").string(summary.text());
  char digits[16];
  for (u32 i = 0; i < 16; ++i)
    digits[i] = "0123456789abcdef"[(report_.fingerprint >> (60 - 4 * i)) & 15];
  json_.key("fingerprint").string({digits, sizeof digits});
  json_.key("pid").number(report_.pid);
  json_.key("time_ms").number(report_.time_ms);
}

void Writer::use(const Module* module) {
  for (u32 i = 0; i < used_count_; ++i)
    if (used_[i] == module) return;
  if (used_count_ < kMaxModules) used_[used_count_++] = module;
}

void Writer::module_place(ModuleAddress at) {
  if (at.module == nullptr) return;
  use(at.module);
  json_.key("module").number(at.module->number);
  json_.key("offset").address(at.offset);
}

void Writer::frame(const FrameRef& f) {
  json_.begin_object();
  if (!f.source->function.empty()) json_.key("function").string(f.source->function);
  if (!f.source->file.empty()) json_.key("file").string(f.source->file);
  if (f.source->line != 0) json_.key("line").number(f.source->line);
  if (f.source->column != 0) json_.key("column").number(f.source->column);
  if (f.inlined) json_.key("inlined").boolean(true);
  if (f.recursive) json_.key("recursive").boolean(true);
  module_place(f.at->at);
  json_.key("pc").address(f.at->pc);
  json_.end_object();
}

// Left out if nothing is known.
void Writer::stack(Text key, const ResolvedStack& s) {
  if (s.count == 0) return;
  json_.key(key).begin_object();
  json_.key("frames").begin_array();
  for_each_frame(s, [&](const FrameRef& f) {
    frame(f);
    return true;
  });
  json_.end_array();
  if (s.truncated) json_.key("truncated").boolean(true);
  json_.end_object();
}

void Writer::thread_id(Text key, ThreadId id) {
  if (id != kNoThread) json_.key(key).number(static_cast<u32>(id));
}

void Writer::held_lock(const ReportHeldLock& lock) {
  json_.begin_object();
  json_.key("mutex").number(lock.mutex);
  json_.key("mode").string(lock.read_mode ? "read" : "write");
  stack("taken", lock.taken);
  json_.end_object();
}

void Writer::access(const ReportAccess& a, bool previous) {
  json_.begin_object();
  json_.key("role").string(previous ? "previous" : "current");
  json_.key("kind").string(is_write(a.access.kind) ? "write" : "read");
  json_.key("atomic").boolean(is_atomic(a.access.kind));
  if (a.access.kind == AccessKind::kFree) json_.key("free").boolean(true);
  json_.key("address").address(a.access.address);
  json_.key("size").number(a.access.size);
  thread_id("thread", a.access.thread);
  json_.key("clock").number(a.access.clock);
  if (!a.field.empty()) json_.key("field").string(a.field);
  stack("stack", a.stack);
  if (!a.or_at.empty()) {
    json_.key("or_at").begin_array();
    a.or_at.for_each_line([&](Text place) { json_.string(place); });
    json_.end_array();
  }
  json_.key("locks").begin_array();
  for (u32 i = 0; i < a.lock_count; ++i) held_lock(a.locks[i]);
  json_.end_array();
  if (a.lock_total > a.lock_count) json_.key("locks_total").number(a.lock_total);
  json_.end_object();
}

void Writer::object() {
  static constexpr const char* kKinds[] = {"unknown", "heap", "global", "stack", "tls", "fd"};
  const ReportObject& o = report_.object;
  if (o.address == 0) return;
  json_.key("object").begin_object();
  json_.key("kind").string(kKinds[static_cast<usize>(o.facts.kind)]);
  if (o.global != nullptr) {
    json_.key("name").string(o.global->name);
    json_.key("address").address(o.global->bytes.begin);
    json_.key("size").number(o.global->bytes.size);
    module_place(o.global->at);
  } else if (o.facts.bytes.size != 0) {
    json_.key("address").address(o.facts.bytes.begin);
    json_.key("size").number(o.facts.bytes.size);
  } else {
    module_place(o.at);
  }
  if (o.facts.kind == ObjectKind::kHeap) json_.key("freed").boolean(o.facts.freed);
  if (o.facts.kind != ObjectKind::kGlobal) thread_id("thread", o.facts.thread);
  stack("allocated", o.allocated);
  json_.end_object();
}

void Writer::mutexes() {
  json_.key("mutexes").begin_array();
  for (u32 i = 0; i < report_.mutex_count; ++i) {
    json_.begin_object();
    json_.key("id").number(i);
    if (report_.mutexes[i].address != 0) json_.key("address").address(report_.mutexes[i].address);
    if (!report_.mutexes[i].name.empty()) json_.key("name").string(report_.mutexes[i].name);
    stack("created", report_.mutexes[i].created);
    json_.end_object();
  }
  json_.end_array();
}

void Writer::threads() {
  json_.key("threads").begin_array();
  for (u32 i = 0; i < report_.thread_count; ++i) {
    const ReportThread& t = report_.threads[i];
    json_.begin_object();
    thread_id("id", t.facts.id);
    json_.key("os_id").number(t.facts.os_id);
    if (t.facts.name[0] != 0) json_.key("name").string(t.facts.name);
    json_.key("state").string(t.facts.state == ThreadState::kRunning ? "running" : "finished");
    if (t.facts.is_fiber) json_.key("fiber").boolean(true);
    thread_id("creator", t.facts.creator);
    stack("created", t.created);
    json_.end_object();
  }
  json_.end_array();
}

void Writer::step(const ReportStep& s, u64 earliest) {
  json_.begin_object();
  json_.key("kind").string(step_name(s.step.kind));
  json_.key("time").number(s.step.time - earliest);
  json_.key("clock").number(s.step.clock);
  if (names_thread(s.step.kind))
    json_.key("thread").number(s.step.object);
  else if (s.step.kind != StepKind::kStart && s.step.kind != StepKind::kFinish)
    json_.key("object").address(s.step.object);
  if (!s.name.empty()) json_.key("name").string(s.name);
  stack("stack", s.stack);
  json_.end_object();
}

// Times count from the earliest step of the record: the processor's clock has no meaning elsewhere.
void Writer::histories() {
  u64 earliest = ~u64{0};
  bool any = false;
  for (u32 i = 0; i < report_.history_count; ++i)
    for (u32 j = 0; j < report_.histories[i].count; ++j, any = true)
      if (report_.histories[i].steps[j].step.time < earliest)
        earliest = report_.histories[i].steps[j].step.time;
  if (!any) return;
  json_.key("history").begin_array();
  for (u32 i = 0; i < report_.history_count; ++i) {
    const ReportHistory& h = report_.histories[i];
    json_.begin_object();
    thread_id("thread", h.thread);
    if (h.incomplete) json_.key("incomplete").boolean(true);
    json_.key("steps").begin_array();
    for (u32 j = 0; j < h.count; ++j) step(h.steps[j], earliest);
    json_.end_array();
    json_.end_object();
  }
  json_.end_array();
}

void Writer::run() {
  const ReportRun& r = report_.run;
  if (r.command.empty()) return;
  json_.key("run").begin_object();
  json_.key("command").begin_array();
  for (Text rest = r.command; !rest.empty();) {
    const usize n = rest.find('\0');
    json_.string(rest.take_front(n));
    rest = rest.drop_front(n + 1);
  }
  json_.end_array();
  if (!r.folder.empty()) json_.key("folder").string(r.folder);
  if (!r.options.empty()) json_.key("options").string(r.options);
  if (r.perturb != 0) json_.key("perturb").number(r.perturb);
  json_.end_object();
}

void Writer::modules() {
  json_.key("modules").begin_array();
  for (u32 i = 0; i < used_count_; ++i) {
    const Module& m = *used_[i];
    json_.begin_object();
    json_.key("id").number(m.number);
    json_.key("path").string(m.path);
    if (!m.build_id.empty()) json_.key("build_id").string(m.build_id);
    json_.key("bias").address(m.bias);
    json_.end_object();
  }
  json_.end_array();
}

void Writer::write() {
  head();
  if (report_.access_count != 0) {
    json_.key("overlap").begin_object();
    json_.key("address").address(report_.overlap.begin);
    json_.key("size").number(report_.overlap.size);
    json_.end_object();
    json_.key("accesses").begin_array();
    for (u32 i = 0; i < report_.access_count; ++i) access(report_.accesses[i], i == 1);
    json_.end_array();
    if (report_.locks != LockVerdict::kNothing)
      json_.key("locks").string(verdict_name(report_.locks));
  }
  thread_id("thread", report_.thread);
  stack("where", report_.where);
  object();
  mutexes();
  threads();
  histories();
  run();
  modules();
  json_.end_object();
}

}  // namespace

void write_json(const Report& report, const Options& options, TextBuffer& out) {
  Writer(report, options, out).write();
  out.add("\n");
}

void write_json_end(const Counts& counts, const Suppressions& suppressions, TextBuffer& out) {
  JsonWriter json(out);
  begin_record(json, "end");
  json.key("pid").number(sys::process_id());
  json.key("time_ms").number(sys::wall_clock_milliseconds());
  json.key("reported").number(counts.reported);
  json.key("duplicates").number(counts.duplicates);
  json.key("suppressed").number(counts.suppressed);
  json.key("dropped").number(counts.dropped);
  if (counts.given_up != 0) json.key("given_up").number(counts.given_up);
  json.key("suppressions").begin_array();
  for (const Suppression* s = suppressions.first(); s != nullptr; s = s->next) {
    json.begin_object();
    json.key("type").string(name_of(s->type));
    json.key("pattern").string(s->pattern);
    json.key("source").string(s->source);
    json.key("line").number(s->line);
    json.key("hits").number(s->hits);
    if (!s->until.empty()) json.key("until").string(s->until);
    if (s->missed != 0) json.key("missed").number(s->missed);
    json.end_object();
  }
  json.end_array();
  json.end_object();
  out.add("\n");
}

}  // namespace bigfoot::rt::report
