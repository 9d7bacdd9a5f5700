#include "tools/report/page_data.h"

#include <algorithm>
#include <charconv>
#include <map>

#include "runtime/report/finding_kinds.h"
#include "tools/report/advice.h"
#include "tools/report/arena.h"
#include "tools/report/expression.h"

namespace bigfoot::report {
namespace rr = rt::report;
using nlohmann::json;
namespace {

// Lines of source around an access, and around the calls that lead to it.
constexpr std::size_t kAroundAccess = 7;
constexpr std::size_t kAroundCall = 3;

std::string hex(rt::u64 value) {
  char digits[16];
  const auto end = std::to_chars(std::begin(digits), std::end(digits), value, 16).ptr;
  return "0x" + std::string(digits, end);
}

std::string lossy(const std::string& bytes) {
  return utf8({bytes.data(), bytes.size()});
}

// Each distinct value once, in the order of arrival.
class Table {
 public:
  std::size_t index(json value) {
    const auto [known, fresh] = numbers_.try_emplace(value.dump(), items_.size());
    if (fresh) items_.push_back(std::move(value));
    return known->second;
  }
  json take() { return std::move(items_); }

 private:
  json items_ = json::array();
  std::map<std::string, std::size_t> numbers_;
};

// The files and the lines of them that are needed.
class Excerpts {
 public:
  explicit Excerpts(SourceFiles& sources) : sources_(sources) {}

  std::size_t file(std::string_view name) {
    const auto [known, fresh] = numbers_.try_emplace(std::string(name), files_.size());
    if (fresh)
      files_.push_back({{"name", lossy(sources_.display_name(name))},
                        {"lines", json::object()},
                        {"found", sources_.lines(name) != nullptr}});
    return known->second;
  }

  void need(std::string_view name, std::size_t line, std::size_t around) {
    const auto* lines = sources_.lines(name);
    if (lines == nullptr || line == 0) return;
    json& kept = files_[file(name)]["lines"];
    const std::size_t first = line > around ? line - around : 1;
    for (std::size_t i = first; i <= std::min(line + around, lines->size()); ++i)
      kept[std::to_string(i)] = lossy((*lines)[i - 1]);
  }

  // What to mark in the line, in the characters a browser counts.
  json mark(std::string_view name, std::size_t line, std::size_t column) {
    const auto* lines = sources_.lines(name);
    if (lines == nullptr || line == 0 || line > lines->size()) return nullptr;
    const Span span = expression_at((*lines)[line - 1], column);
    if (span.begin == span.end) return nullptr;
    return {sources_.utf16_column(name, line, span.begin + 1) - 1,
            sources_.utf16_column(name, line, span.end + 1) - 1};
  }

  json take() { return std::move(files_); }

 private:
  SourceFiles& sources_;
  json files_ = json::array();
  std::map<std::string, std::size_t, std::less<>> numbers_;
};

class Builder {
 public:
  explicit Builder(const Setting& setting) : setting_(setting), excerpts_(setting.sources) {}

  json build(const Collection& collection) {
    json races = json::array();
    for_each_entry(collection, setting_, [&](const Entry& entry) {
      if (entry.hidden_by == nullptr) races.push_back(race(entry));
    });
    return {{"tool", BIGFOOT_VERSION},
            {"records", collection.records()},
            {"hidden", collection.entries().size() - collection.visible()},
            {"dropped", collection.totals().dropped},
            {"races", std::move(races)},
            {"frames", frames_.take()},
            {"stacks", stacks_.take()},
            {"files", excerpts_.take()}};
  }

 private:
  json frame(const rr::FrameRef& f, bool accesses) {
    json value = json::object();
    const rr::SourceFrame& source = *f.source;
    if (!source.function.empty()) value["function"] = utf8(source.function);
    if (!source.file.empty()) {
      const std::string_view name = view(source.file);
      value["file"] = excerpts_.file(name);
      value["line"] = source.line;
      value["column"] = source.column;
      const bool system = rr::is_system_file(source.file);
      if (system) value["system"] = true;
      if (!system) excerpts_.need(name, source.line, accesses ? kAroundAccess : kAroundCall);
      if (accesses && !system)
        if (json mark = excerpts_.mark(name, source.line, source.column); !mark.is_null())
          value["mark"] = mark;
    }
    if (f.at->at.module != nullptr)
      value["at"] = utf8(f.at->at.module->name()) + "+" + hex(f.at->at.offset);
    if (f.inlined) value["inlined"] = true;
    if (f.recursive) value["recursive"] = true;
    return value;
  }

  // Null if it is not known.
  json stack(const rr::ResolvedStack& from, bool of_access = false) {
    if (from.count == 0) return nullptr;
    const rr::FrameRef main = rr::headline(from);
    json list = json::array();
    rr::for_each_frame(from, [&](const rr::FrameRef& f) {
      list.push_back(frames_.index(frame(f, of_access && f.source == main.source)));
      return true;
    });
    json value = {{"frames", list}};
    if (from.truncated) value["truncated"] = true;
    return stacks_.index(value);
  }

  static json thread_number(rt::ThreadId id) {
    if (id == rt::kNoThread) return nullptr;
    return static_cast<rt::u32>(id);
  }

  json access(const rr::ReportAccess& a) {
    json locks = json::array();
    for (rt::u32 i = 0; i < a.lock_count; ++i)
      locks.push_back({{"mutex", a.locks[i].mutex},
                       {"read", a.locks[i].read_mode},
                       {"taken", stack(a.locks[i].taken)}});
    json value = {{"write", is_write(a.access.kind)},
                  {"atomic", is_atomic(a.access.kind)},
                  {"free", a.access.kind == rt::AccessKind::kFree},
                  {"address", hex(a.access.address)},
                  {"size", a.access.size},
                  {"thread", thread_number(a.access.thread)},
                  {"clock", a.access.clock},
                  {"stack", stack(a.stack, true)},
                  {"locks", locks},
                  {"locksTotal", a.lock_total}};
    if (!a.field.empty()) value["field"] = utf8(a.field);
    a.or_at.for_each_line([&](rt::Text place) { value["orAt"].push_back(utf8(place)); });
    return value;
  }

  json object(const rr::Report& report) {
    static constexpr const char* kKinds[] = {"unknown", "heap", "global", "stack", "tls", "fd"};
    const rr::ReportObject& o = report.object;
    const rt::ByteRange bytes = o.global != nullptr ? o.global->bytes : o.facts.bytes;
    json value = {{"kind", kKinds[static_cast<std::size_t>(o.facts.kind)]},
                  {"address", hex(bytes.begin)},
                  {"size", bytes.size},
                  {"freed", o.facts.freed},
                  {"thread", thread_number(o.facts.thread)},
                  {"allocated", stack(o.allocated)}};
    if (o.global != nullptr) value["name"] = utf8(o.global->name);
    if (report.overlap.size != 0) {
      value["offset"] = report.overlap.begin - bytes.begin;
      value["hit"] = report.overlap.size;
    }
    return value;
  }

  json threads(const rr::Report& report) {
    json list = json::array();
    for (rt::u32 i = 0; i < report.thread_count; ++i) {
      const rr::ReportThread& t = report.threads[i];
      list.push_back({{"id", thread_number(t.facts.id)},
                      {"name", utf8(t.facts.name)},
                      {"osId", t.facts.os_id},
                      {"running", t.facts.state == rr::ThreadState::kRunning},
                      {"fiber", t.facts.is_fiber},
                      {"creator", thread_number(t.facts.creator)},
                      {"created", stack(t.created)}});
    }
    return list;
  }

  json mutexes(const rr::Report& report) {
    json list = json::array();
    for (rt::u32 i = 0; i < report.mutex_count; ++i) {
      const rr::ReportMutex& m = report.mutexes[i];
      list.push_back({{"address", m.address == 0 ? json() : json(hex(m.address))},
                      {"name", utf8(m.name)},
                      {"created", stack(m.created)}});
    }
    return list;
  }

  json step(const rr::ReportStep& s) {
    json value = {{"kind", view(rr::step_name(s.step.kind))},
                  {"time", s.step.time},
                  {"clock", s.step.clock},
                  {"releases", step_releases(s.step.kind)},
                  {"stack", stack(s.stack)}};
    if (names_thread(s.step.kind))
      value["thread"] = s.step.object;
    else
      value["object"] = hex(s.step.object);
    if (!s.name.empty()) value["name"] = utf8(s.name);
    return value;
  }

  json histories(const rr::Report& report) {
    json list = json::array();
    for (rt::u32 i = 0; i < report.history_count; ++i) {
      const rr::ReportHistory& h = report.histories[i];
      json steps = json::array();
      for (rt::u32 j = 0; j < h.count; ++j) steps.push_back(step(h.steps[j]));
      list.push_back(
          {{"thread", thread_number(h.thread)}, {"incomplete", h.incomplete}, {"steps", steps}});
    }
    return list;
  }

  json race(const Entry& entry) {
    const rr::Report& report = *entry.report;
    json accesses = json::array(), advice = json::array();
    for (rt::u32 i = 0; i < report.access_count; ++i)
      accesses.push_back(access(report.accesses[i]));
    for (const SuppressionLine& s : suppressions_for(report))
      advice.push_back({{"covers", s.covers}, {"line", s.line}});
    return {{"id", fingerprint_text(report)},
            {"kind", rr::kind_name(report)},
            {"title", utf8(report.title)},
            {"records", entry.records},
            {"runs", entry.runs},
            {"accesses", accesses},
            {"where", stack(report.where, true)},
            {"thread", thread_number(report.thread)},
            {"object", object(report)},
            {"mutexes", mutexes(report)},
            {"threads", threads(report)},
            {"history", histories(report)},
            {"readModesOnly", report.locks == rr::LockVerdict::kOnlyReadModes},
            {"suppressions", advice},
            {"perturb", report.run.perturb},
            {"rerun", rerun_command(report)}};
  }

  const Setting& setting_;
  Table frames_;
  Table stacks_;
  Excerpts excerpts_;
};

}  // namespace

json page_data(const Collection& collection, const Setting& setting) {
  return Builder(setting).build(collection);
}

}  // namespace bigfoot::report
