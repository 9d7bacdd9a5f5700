#include "tools/report/advice.h"

#include "tools/report/outputs.h"

namespace bigfoot::report {
namespace rr = rt::report;
namespace {

// A name as a pattern for exactly that name.
std::string exact(const std::string& name) {
  return "^" + name + "$";
}

}  // namespace

std::vector<SuppressionLine> suppressions_for(const rr::Report& report) {
  std::vector<SuppressionLine> lines;
  if (report.object.global != nullptr) {
    const std::string name = utf8(report.object.global->name);
    lines.push_back({"every race on the variable " + name, "race:" + exact(name)});
  }
  const rr::FrameRef frame = main_frame(report);
  if (frame.source != nullptr && !frame.source->function.empty()) {
    const std::string function = utf8(frame.source->function);
    lines.push_back({"every race with an access in " + function, "race_top:" + exact(function)});
  }
  return lines;
}

std::string shell_quoted(const std::string& word) {
  constexpr const char* kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=:,+@%";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string rerun_command(const rr::Report& report) {
  const rr::ReportRun& run = report.run;
  if (run.command.empty()) return "";
  std::string command;
  if (!run.folder.empty()) command = "cd " + shell_quoted(utf8(run.folder)) + " && ";
  if (!run.options.empty()) command += "BIGFOOT_OPTIONS=" + shell_quoted(utf8(run.options)) + " ";
  for (rt::Text rest = run.command; !rest.empty();) {
    const rt::usize n = rest.find('\0');
    command += shell_quoted(utf8(rest.take_front(n))) + " ";
    rest = rest.drop_front(n + 1);
  }
  command.pop_back();
  return command;
}

}  // namespace bigfoot::report
