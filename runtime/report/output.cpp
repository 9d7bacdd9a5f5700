#include "runtime/report/output.h"

#include "runtime/options/usage_error.h"

namespace bigfoot::rt::report {
namespace {

sys::Fd standard_file(Text path) {
  if (path == "stderr") return sys::kStderr;
  if (path == "stdout") return sys::kStdout;
  return sys::kNoFd;
}

// 0, or the negative error.
i64 write_record(sys::Fd fd, Text record) {
  const u64 before = sys::file_size(fd);
  usize done = 0;
  while (done < record.size) {
    const i64 r = sys::write_some(fd, record.data + done, record.size - done);
    if (r <= 0) {
      // Another process may have appended meanwhile; its record is worth more than our clean-up.
      if (done > 0 && sys::file_size(fd) == before + done) sys::truncate(fd, before);
      return r;
    }
    done += static_cast<usize>(r);
  }
  return 0;
}

void check_folder(const char* option, const char* path) {
  const Text whole(path);
  TextBuffer folder;
  folder.add(whole.take_front(whole.size - whole.basename().size));
  if (folder.size() == 0) folder.add(".");
  if (sys::writable(folder.c_str())) return;
  TextBuffer line;
  line.add(option).add(": cannot write to '").add(path).add("': the folder '").add(folder.text());
  line.add(sys::exists(folder.c_str()) ? "' is not writable" : "' does not exist");
  usage_error(line.text());
}

}  // namespace

void Output::log_name(TextBuffer& path) const {
  path.add(options_.log_path);
  if (options_.log_exe_name) {
    char exe[512];
    const usize n = sys::executable_path(exe, sizeof exe);
    path.add(".").add(Text(exe, n).basename());
  }
  path.add(".").add_decimal(sys::process_id());
}

Output::Target Output::text_target(TextBuffer& path) const {
  const sys::Fd standard = standard_file(options_.log_path);
  if (standard != sys::kNoFd) return {standard, options_.log_path};
  log_name(path);
  path.add(options_.log_suffix);
  return {sys::kNoFd, path.c_str()};
}

Output::Target Output::json_target(TextBuffer& path) const {
  Text pattern = options_.json_path;
  const sys::Fd standard = standard_file(pattern);
  if (standard != sys::kNoFd) return {standard, options_.json_path};
  if (pattern.empty()) {
    if (standard_file(options_.log_path) == sys::kNoFd)
      log_name(path);
    else
      path.add("bigfoot.").add_decimal(sys::process_id());
    path.add(".json");
  }
  while (!pattern.empty()) {
    if (pattern.starts_with("%p")) {
      path.add_decimal(sys::process_id());
      pattern = pattern.drop_front(2);
    } else {
      path.add_char(pattern[0]);
      pattern = pattern.drop_front(1);
    }
  }
  return {sys::kNoFd, path.c_str()};
}

void Output::check() const {
  TextBuffer log, json;
  if (options_.stats_path[0] != 0) check_folder("stats_path", options_.stats_path);
  const Target text = text_target(log);
  if (text.standard == sys::kNoFd && !options_.log_fallback_to_stderr)
    check_folder("log_path", text.path);
  if (!wants_json()) return;
  const Target lines = json_target(json);
  if (lines.standard == sys::kNoFd) check_folder("json_path", lines.path);
}

bool Output::wants_json() const {
  return options_.json || options_.json_path[0] != 0;
}

bool Output::color() const {
  const Text wish = options_.color;
  if (!(wish == "auto")) return wish == "always";
  const sys::Fd standard = standard_file(options_.log_path);
  return standard != sys::kNoFd && sys::is_terminal(standard);
}

i64 Output::append(const Target& target, Text record) {
  if (target.standard != sys::kNoFd) return write_record(target.standard, record);
  const i64 opened = sys::try_open_for_append(target.path);
  if (opened < 0) return opened;
  const sys::Fd fd{static_cast<int>(opened)};
  const i64 result = write_record(fd, record);
  sys::close(fd);
  return result;
}

void Output::complain(const Target& target, i64 error, Text consequence) {
  TextBuffer line;
  line.add("bigfoot: cannot write to '").add(target.path).add("': ").add(sys::error_text(error));
  line.add("; ").add(consequence).add("\n");
  sys::write_all(sys::kStderr, line.data(), line.size());
}

void Output::text(Text report) {
  TextBuffer path;
  const Target target = text_target(path);
  const i64 error = append(target, report);
  if (error == 0 || target.standard == sys::kStderr) return;
  if (!text_failed_) complain(target, error, "reports go to stderr");
  text_failed_ = true;
  sys::write_all(sys::kStderr, report.data, report.size);
}

void Output::json(Text line) {
  TextBuffer path;
  const Target target = json_target(path);
  const i64 error = append(target, line);
  if (error == 0) return;
  if (lost_json_++ == 0) complain(target, error, "reports are missing from it");
}

}  // namespace bigfoot::rt::report
