// SARIF 2.1.0 (OASIS), which code-scanning services read.
//
// A race is one result: its location is the current access, a related location the previous one,
// and a code flow has one thread flow per access (from the thread's creation to the access). Names
// of files below the source root are relative to it: services match them with the repository.
#include <map>

#include "runtime/report/finding_kinds.h"
#include "tools/report/arena.h"
#include "tools/report/outputs.h"

namespace bigfoot::report {
namespace rr = rt::report;
using nlohmann::json;
namespace {

constexpr const char* kSchema =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";
constexpr const char* kRoot = "%SRCROOT%";

// As in a URI's path: everything but unreserved characters and '/' is encoded.
std::string uri_path(std::string_view path) {
  static constexpr std::string_view kPlain = "-._~/";
  std::string uri;
  for (const char c : path) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (letter || kPlain.find(c) != std::string_view::npos) {
      uri += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    uri += '%';
    uri += "0123456789ABCDEF"[byte >> 4];
    uri += "0123456789ABCDEF"[byte & 15];
  }
  return uri;
}

class Writer {
 public:
  explicit Writer(const Setting& setting) : setting_(setting) {}

  json log(const Collection& collection) {
    json results = json::array();
    for_each_entry(collection, setting_,
                   [&](const Entry& entry) { results.push_back(result(entry)); });
    json driver = {{"name", "BigFoot"}, {"version", BIGFOOT_VERSION}, {"rules", rules_}};
    const std::string root = "file://" + uri_path(setting_.sources.root().string()) + "/";
    json run = {{"tool", {{"driver", driver}}},
                {"originalUriBaseIds", {{kRoot, {{"uri", root}}}}},
                {"columnKind", "utf16CodeUnits"},
                {"results", results}};
    return {{"$schema", kSchema}, {"version", "2.1.0"}, {"runs", json::array({run})}};
  }

 private:
  json artifact(std::string_view file) const {
    const std::string name = setting_.sources.display_name(file);
    if (name.starts_with("/")) return {{"uri", "file://" + uri_path(name)}};
    return {{"uri", uri_path(name)}, {"uriBaseId", kRoot}};
  }

  // Code without debug information is in its executable or library: services refuse a result that
  // is in no file.
  json place_in_module(const rr::FrameRef& frame) const {
    const rr::Module* module = frame.at == nullptr ? nullptr : frame.at->at.module;
    if (module == nullptr || !module->path.starts_with("/")) return json::object();
    return {{"artifactLocation", artifact(view(module->path))},
            {"address", {{"relativeAddress", frame.at->at.offset}}}};
  }

  json location(const rr::FrameRef& frame, const std::string& message) const {
    json result = json::object();
    if (!message.empty()) result["message"] = {{"text", message}};
    if (frame.source == nullptr || frame.source->file.empty())
      if (const json place = place_in_module(frame); !place.empty())
        result["physicalLocation"] = place;
    if (frame.source == nullptr) return result;
    if (!frame.source->file.empty()) {
      json place = {{"artifactLocation", artifact(view(frame.source->file))}};
      if (frame.source->line != 0) place["region"]["startLine"] = frame.source->line;
      if (frame.source->line != 0 && frame.source->column != 0)
        place["region"]["startColumn"] = setting_.sources.utf16_column(
            view(frame.source->file), frame.source->line, frame.source->column);
      result["physicalLocation"] = place;
    }
    if (!frame.source->function.empty())
      result["logicalLocations"] = json::array(
          {{{"fullyQualifiedName", utf8(frame.source->function)}, {"kind", "function"}}});
    return result;
  }

  // Where an access stands, and what it accesses.
  json access_location(const rr::ReportAccess& access, const std::string& message) const {
    json result = location(rr::headline(access.stack), message);
    if (!access.field.empty())
      result["logicalLocations"].push_back(
          {{"fullyQualifiedName", utf8(access.field)}, {"kind", "member"}});
    return result;
  }

  json stack(const rr::ResolvedStack& from, const std::string& message) const {
    json frames = json::array();
    rr::for_each_frame(from, [&](const rr::FrameRef& f) {
      json frame = {{"location", location(f, f.recursive ? "recursive" : "")}};
      if (f.at->at.module != nullptr) frame["module"] = utf8(f.at->at.module->name());
      frames.push_back(frame);
      return true;
    });
    return {{"message", {{"text", message}}}, {"frames", frames}};
  }

  json thread_flow(const rr::Report& report, const rr::ReportAccess& access) const {
    json steps = json::array();
    for (rt::u32 i = 0; i < report.thread_count; ++i) {
      const rr::ReportThread& thread = report.threads[i];
      if (thread.facts.id != access.access.thread || thread.created.count == 0) continue;
      steps.push_back({{"location", location(rr::headline(thread.created),
                                             thread_name(thread.facts.id) + " is created")}});
    }
    steps.push_back({{"location", access_location(access, describe(access))}});
    return {{"id", thread_name(access.access.thread)}, {"locations", steps}};
  }

  std::size_t rule_index(const rr::Report& report) {
    const std::string id = rr::kind_name(report);
    const auto [known, fresh] = rule_numbers_.try_emplace(id, rules_.size());
    if (fresh)
      rules_.push_back({{"id", id},
                        {"shortDescription", {{"text", utf8(report.title)}}},
                        {"defaultConfiguration", {{"level", "error"}}}});
    return known->second;
  }

  json result(const Entry& entry) {
    const rr::Report& report = *entry.report;
    const std::size_t rule = rule_index(report);
    json result = {{"ruleId", rules_[rule]["id"]},
                   {"ruleIndex", rule},
                   {"level", "error"},
                   {"message", {{"text", message(report)}}},
                   {"locations", json::array({location(main_frame(report), "")})},
                   {"occurrenceCount", entry.records},
                   {"partialFingerprints", {{"bigfoot/v1", fingerprint_text(report)}}}};
    if (report.access_count == 2) add_accesses(report, result);
    if (entry.hidden_by != nullptr) result["suppressions"] = json::array({{{"kind", "external"}}});
    return result;
  }

  void add_accesses(const rr::Report& report, json& result) const {
    json flows = json::array(), stacks = json::array(), related = json::array();
    for (rt::u32 i = 0; i < 2; ++i) {
      const rr::ReportAccess& access = report.accesses[i];
      const std::string text = (i == 1 ? "previous " : "") + describe(access);
      flows.push_back(thread_flow(report, access));
      if (access.stack.count != 0) stacks.push_back(stack(access.stack, text));
      if (i == 0) result["locations"] = json::array({access_location(access, "")});
      if (i == 1) related.push_back(access_location(access, text));
    }
    result["codeFlows"] = json::array({{{"threadFlows", flows}}});
    if (!stacks.empty()) result["stacks"] = stacks;
    result["relatedLocations"] = related;
  }

  std::string message(const rr::Report& report) const {
    std::string text = summary(report, setting_);
    if (report.access_count == 2)
      text += ": " + describe(report.accesses[0]) + ", previous " + describe(report.accesses[1]);
    if (const std::string field = field_of(report); !field.empty()) text += ", field " + field;
    if (report.object.global != nullptr)
      text += ", on global '" + utf8(report.object.global->name) + "'";
    return text;
  }

  const Setting& setting_;
  json rules_ = json::array();
  std::map<std::string, std::size_t> rule_numbers_;
};

}  // namespace

void write_sarif(const Collection& collection, const Setting& setting, std::ostream& out) {
  out << Writer(setting).log(collection).dump(1) << '\n';
}

}  // namespace bigfoot::report
