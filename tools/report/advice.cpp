#include "tools/report/advice.h"

#include "runtime/report/text_report.h"
#include "tools/report/outputs.h"

namespace bigfoot::report {
namespace rr = rt::report;
namespace {

// A name as a pattern for exactly that name.
std::string exact(const std::string& name) {
  return "^" + name + "$";
}

std::string function_of(const rr::ReportAccess& access) {
  const rr::FrameRef frame = rr::headline(access.stack);
  return frame.source == nullptr ? "" : utf8(frame.source->function);
}

// Whose code the access is, as race_library sees it.
const rr::Module* module_of(const rr::ReportAccess& access) {
  return access.stack.count == 0 ? nullptr : access.stack.pcs[0]->at.module;
}

}  // namespace

std::vector<SuppressionLine> suppressions_for(const rr::Report& report) {
  std::vector<SuppressionLine> lines = {
      {"this race alone", "fingerprint:" + fingerprint_text(report)}};
  if (report.access_count != 2) return lines;
  const std::string functions[] = {function_of(report.accesses[0]),
                                   function_of(report.accesses[1])};
  if (!functions[0].empty() && !functions[1].empty())
    lines.push_back({"races between " + functions[1] + " and " + functions[0],
                     "race_pair:" + exact(functions[1]) + " <-> " + exact(functions[0])});
  if (report.object.global != nullptr) {
    const std::string name = utf8(report.object.global->name);
    lines.push_back({"every race on the variable " + name, "race_variable:" + exact(name)});
  }
  for (rt::u32 i = 0; i < 2; ++i) {
    const std::string field = utf8(report.accesses[i].field);
    const bool known = field.empty() || (i == 1 && field == utf8(report.accesses[0].field));
    if (!known) lines.push_back({"every race on the field " + field, "race_field:" + exact(field)});
  }
  if (!functions[0].empty())
    lines.push_back(
        {"every race with an access in " + functions[0], "race_function:" + exact(functions[0])});
  if (const rr::Module* module = module_of(report.accesses[0])) {
    // The whole name, not its end: `a$` would cover libdata, too.
    const std::string name = utf8(module->name());
    const bool in_folder = module->path.size > module->name().size;
    lines.push_back({"every race with an access made by " + name,
                     "race_library:" + (in_folder ? "/" + name : name) + "$"});
  }
  return lines;
}

std::string rerun_command(const rr::Report& report) {
  if (report.run.command.empty()) return "";
  rt::TextBuffer command;
  if (!report.run.folder.empty()) {
    command.add("cd ");
    rr::write_shell_word(report.run.folder, command);
    command.add(" && ");
  }
  rr::write_rerun(report.run, command);
  return utf8(command.text());
}

}  // namespace bigfoot::report
