#include "runtime/report/text_report.h"

namespace bigfoot::rt::report {
namespace {

// The longest name shown; generated C++ names reach megabytes. The JSON output has them whole.
constexpr usize kMaxName = 4096;

constexpr const char* kRule = "==================\n";

struct Palette {
  const char* warning;
  const char* access;
  const char* location;
  const char* thread;
  const char* mutex;
  const char* end;
};
constexpr Palette kPlain = {"", "", "", "", "", ""};
constexpr Palette kColored = {"\033[1m\033[31m", "\033[1m\033[34m", "\033[1m\033[32m",
                              "\033[1m\033[36m", "\033[1m\033[35m", "\033[1m\033[0m"};

// Names of functions and places, as every line of a report shows them.
class PlaceWriter {
 public:
  PlaceWriter(const Options& options, TextBuffer& out) : options_(options), out_(out) {}
  void function_and_place(const FrameRef& f);

 protected:
  void name(Text text);
  void file(Text path);
  void place(const FrameRef& f);

  const Options& options_;
  TextBuffer& out_;
};

class Writer : private PlaceWriter {
 public:
  Writer(const Report& report, const Options& options, bool color, TextBuffer& out)
      : PlaceWriter(options, out), report_(report), palette_(color ? kColored : kPlain) {}

  void write();
  void summary();

 private:
  void thread_name(ThreadId id);
  void frame(u32 number, const FrameRef& f);
  void stack(const ResolvedStack& s);
  void frames(const ResolvedStack& s);
  void access(const ReportAccess& a, bool previous);
  void held_locks(const ReportAccess& a);
  void finding();
  void fields();
  void lock_verdict();
  void lock_list(const ReportAccess& a);
  void object();
  void mutexes();
  void mutex_name(u32 i);
  void taken(const ReportAccess& a, u32 mutex);
  void threads();
  void replay();
  void heading(const char* color, const char* indent = "  ") { out_.add(indent).add(color); }
  void end_heading(const char* tail) { out_.add(tail).add(palette_.end).add("\n"); }

  const Report& report_;
  const Palette& palette_;
};

void PlaceWriter::name(Text text) {
  const Text shown = text.take_front(kMaxName);
  for (usize i = 0; i < shown.size; ++i) {
    const auto c = static_cast<u8>(shown[i]);
    out_.add_char(c < 0x20 || c == 0x7f ? '?' : shown[i]);
  }
  if (shown.size < text.size) out_.add("...");
}

void PlaceWriter::file(Text path) {
  const Text prefix = options_.strip_path_prefix;
  name(!prefix.empty() && path.starts_with(prefix) ? path.drop_front(prefix.size) : path);
}

void Writer::thread_name(ThreadId id) {
  if (id == kMainThread)
    out_.add("main thread");
  else if (id == kNoThread)
    out_.add("unknown thread");
  else
    out_.add("thread T").add_decimal(static_cast<u32>(id));
}

// "file:12:5", as much of it as is known.
void PlaceWriter::place(const FrameRef& f) {
  file(f.source->file);
  if (f.source->line == 0) return;
  out_.add(":").add_decimal(f.source->line);
  if (f.source->column != 0) out_.add(":").add_decimal(f.source->column);
}

void PlaceWriter::function_and_place(const FrameRef& f) {
  name(f.source->function.empty() ? Text("<null>") : f.source->function);
  out_.add(" ");
  if (f.source->file.empty())
    out_.add("<null>");
  else
    place(f);
  out_.add(" (");
  if (f.at->at.module != nullptr) {
    name(f.at->at.module->name());
    out_.add("+");
  }
  out_.add_hex(f.at->at.offset).add(")");
}

void Writer::frame(u32 number, const FrameRef& f) {
  out_.add("    #").add_decimal(number).add(" ");
  function_and_place(f);
  if (f.recursive) out_.add(" (recursive: further calls of this function are not kept)");
  out_.add("\n");
}

void Writer::stack(const ResolvedStack& s) {
  frames(s);
  out_.add("\n");
}

void Writer::frames(const ResolvedStack& s) {
  u32 number = 0;
  for_each_frame(s, [&](const FrameRef& f) {
    frame(number++, f);
    return true;
  });
  if (s.count == 0) out_.add("    [the stack is not known]\n");
  if (s.truncated) out_.add("    [outer frames were not kept]\n");
}

void Writer::access(const ReportAccess& a, bool previous) {
  static constexpr const char* kFirst[] = {"Read", "Write", "Atomic read", "Atomic write", "Write"};
  static constexpr const char* kSecond[] = {"Previous read", "Previous write",
                                            "Previous atomic read", "Previous atomic write",
                                            "Previous write"};
  const auto kind = static_cast<usize>(a.access.kind);
  heading(palette_.access);
  out_.add(previous ? kSecond[kind] : kFirst[kind]);
  out_.add(" of size ")
      .add_decimal(a.access.size)
      .add(" at ")
      .add_hex(a.access.address)
      .add(" by ");
  thread_name(a.access.thread);
  if (a.access.kind == AccessKind::kFree) out_.add(" (the block is freed)");
  held_locks(a);
  end_heading(":");
  frames(a.stack);
  a.or_at.for_each_line([&](Text place) {
    out_.add("    or at ");
    name(place);
    out_.add(": one check stands for both\n");
  });
  out_.add("\n");
}

void Writer::held_locks(const ReportAccess& a) {
  if (a.lock_count == 0) return;
  out_.add(" (mutexes: ");
  for (u32 i = 0; i < a.lock_count; ++i) {
    out_.add(i == 0 ? "" : ", ").add(a.locks[i].read_mode ? "read M" : "write M");
    out_.add_decimal(a.locks[i].mutex);
  }
  if (a.lock_total > a.lock_count)
    out_.add(", and ").add_decimal(a.lock_total - a.lock_count).add(" more");
  out_.add(")");
}

void Writer::finding() {
  if (report_.where.count == 0 && report_.thread_count > 0) return;  // the thread says it all
  stack(report_.where);
}

void Writer::lock_list(const ReportAccess& a) {
  for (u32 i = 0; i < a.lock_count; ++i)
    out_.add(i == 0 ? "M" : ", M").add_decimal(a.locks[i].mutex);
}

void Writer::lock_verdict() {
  if (report_.locks == LockVerdict::kNothing) return;
  heading(palette_.mutex);
  if (report_.locks == LockVerdict::kOnlyReadModes) {
    out_.add("Both accesses hold the same lock for reading only, which does not order them");
  } else {
    out_.add("Both accesses hold locks, but no lock in common (");
    lock_list(report_.accesses[0]);
    out_.add(" / ");
    lock_list(report_.accesses[1]);
    out_.add("): either one, held at both, would order them");
  }
  end_heading(".");
  out_.add("\n");
}

void Writer::fields() {
  if (report_.access_count != 2) return;
  const Text current = report_.accesses[0].field, previous = report_.accesses[1].field;
  if (current.empty() && previous.empty()) return;
  heading(palette_.location);
  out_.add("Field is '");
  name(current.empty() ? previous : current);
  if (!current.empty() && !previous.empty() && !(current == previous)) {
    out_.add("', in the previous access '");
    name(previous);
  }
  end_heading("'.");
  out_.add("\n");
}

void Writer::object() {
  const ReportObject& o = report_.object;
  const ByteRange bytes = o.facts.bytes;
  if (o.facts.kind == ObjectKind::kUnknown ||
      (o.facts.kind == ObjectKind::kGlobal && o.global == nullptr))
    return;
  heading(palette_.location);
  switch (o.facts.kind) {
    case ObjectKind::kHeap:
      out_.add("Location is ").add(o.facts.freed ? "freed heap block" : "heap block");
      out_.add(" of size ").add_decimal(bytes.size).add(" at ").add_hex(bytes.begin);
      out_.add(" allocated by ");
      thread_name(o.facts.thread);
      end_heading(":");
      stack(o.allocated);
      return;
    case ObjectKind::kFd:
      out_.add("Location is file descriptor ").add_decimal(bytes.begin).add(" created by ");
      thread_name(o.facts.thread);
      end_heading(" at:");
      stack(o.allocated);
      return;
    case ObjectKind::kGlobal:
      out_.add("Location is global '");
      name(o.global->name);
      out_.add("' of size ").add_decimal(o.global->bytes.size).add(" at ");
      out_.add_hex(o.global->bytes.begin).add(" (");
      name(o.global->at.module->name());
      out_.add("+").add_hex(o.global->at.offset);
      end_heading(")");
      break;
    case ObjectKind::kStack:
    case ObjectKind::kTls:
      out_.add(o.facts.kind == ObjectKind::kStack ? "Location is stack of "
                                                  : "Location is TLS of ");
      thread_name(o.facts.thread);
      end_heading(".");
      break;
    case ObjectKind::kUnknown:
      break;
  }
  out_.add("\n");
}

void Writer::mutex_name(u32 i) {
  heading(palette_.mutex);
  out_.add("Mutex M").add_decimal(i).add(" (");
  if (report_.mutexes[i].address != 0)
    out_.add_hex(report_.mutexes[i].address);
  else
    out_.add("one of many");
  out_.add(")");
}

void Writer::taken(const ReportAccess& a, u32 mutex) {
  for (u32 i = 0; i < a.lock_count; ++i) {
    if (a.locks[i].mutex != mutex || a.locks[i].taken.count == 0) continue;
    mutex_name(mutex);
    out_.add(" locked by ");
    thread_name(a.access.thread);
    end_heading(" at:");
    stack(a.locks[i].taken);
  }
}

void Writer::mutexes() {
  for (u32 i = 0; i < report_.mutex_count; ++i) {
    if (report_.mutexes[i].created.count != 0) {
      mutex_name(i);
      end_heading(" created at:");
      stack(report_.mutexes[i].created);
    }
    for (u32 j = 0; j < report_.access_count; ++j) taken(report_.accesses[j], i);
  }
}

void Writer::threads() {
  for (u32 i = 0; i < report_.thread_count; ++i) {
    const ReportThread& t = report_.threads[i];
    if (t.facts.id == kMainThread) continue;
    heading(palette_.thread);
    out_.add("Thread T").add_decimal(static_cast<u32>(t.facts.id));
    if (t.facts.name[0] != 0) {
      out_.add(" '");
      name(t.facts.name);
      out_.add("'");
    }
    out_.add(" (tid=").add_decimal(t.facts.os_id);
    out_.add(t.facts.state == ThreadState::kRunning ? ", running" : ", finished");
    out_.add(t.facts.is_fiber ? ", fiber)" : ")");
    if (t.facts.creator != kNoThread) {
      out_.add(" created by ");
      thread_name(t.facts.creator);
    }
    end_heading(t.created.count == 0 ? "" : " at:");
    if (t.created.count != 0)
      stack(t.created);
    else
      out_.add("\n");
  }
}

void Writer::replay() {
  if (report_.run.perturb == 0) return;
  out_.add("  Schedule seed: ").add_decimal(report_.run.perturb).add("; again with: ");
  write_rerun(report_.run, out_);
  out_.add("\n");
}

void Writer::summary() {
  const ResolvedStack* s = &report_.where;
  if (report_.access_count != 0)
    s = &report_.accesses[0].stack;
  else if (s->count == 0 && report_.thread_count != 0)
    s = &report_.threads[0].created;
  out_.add(report_.title);
  const FrameRef f = headline(*s);
  if (f.source == nullptr) return;
  out_.add(" ");
  if (!f.source->file.empty()) {
    place(f);
  } else {
    out_.add("(");
    if (f.at->at.module != nullptr) {
      file(f.at->at.module->path);
      out_.add("+");
    }
    out_.add_hex(f.at->at.offset).add(")");
  }
  if (f.source->function.empty()) return;
  out_.add(" in ");
  name(f.source->function);
}

void Writer::write() {
  out_.add(kRule).add(palette_.warning);
  out_.add("WARNING: ").add(kToolName).add(": ").add(report_.title);
  out_.add(" (pid=").add_decimal(report_.pid);
  end_heading(")");
  for (u32 i = 0; i < report_.access_count; ++i) access(report_.accesses[i], i == 1);
  if (report_.kind == ReportKind::kFinding) finding();
  lock_verdict();
  fields();
  object();
  mutexes();
  threads();
  out_.add("  Fingerprint: ");
  for (int shift = 60; shift >= 0; shift -= 4)
    out_.add_char("0123456789abcdef"[(report_.fingerprint >> shift) & 15]);
  out_.add("\n");
  replay();
  out_.add("\n");
  if (options_.print_summary) {
    out_.add("SUMMARY: ").add(kToolName).add(": ");
    summary();
    out_.add("\n");
  }
  out_.add(kRule);
}

}  // namespace

void write_text(const Report& report, const Options& options, bool color, TextBuffer& out) {
  Writer(report, options, color, out).write();
}

void write_summary(const Report& report, const Options& options, TextBuffer& out) {
  Writer(report, options, false, out).summary();
}

void write_place(const FrameRef& place, const Options& options, TextBuffer& out) {
  PlaceWriter(options, out).function_and_place(place);
}

}  // namespace bigfoot::rt::report
