// Where reports are written: text to stderr or a log file, JSON lines to a file.
//
// Files are opened for each record and closed again: a descriptor kept open could be closed by the
// program and its number given to one of its own files. A record is one write; on a full disk what
// was written of it is taken back. Text that cannot be written to the log goes to stderr, so that
// no report is lost; JSON that cannot be written is counted. Either is said once.
#pragma once

#include "runtime/base/text.h"
#include "runtime/options/options.h"

namespace bigfoot::rt::report {

class Output {
 public:
  explicit Output(const Options& options) : options_(options) {}

  // Ends the process with one line if a folder to write into is missing (usage_error).
  void check() const;

  void text(Text report);
  void json(Text line);  // with its line end
  bool wants_json() const;
  bool color() const;
  u64 lost_json() const { return lost_json_; }

 private:
  // A channel that a path option names.
  struct Target {
    sys::Fd standard = sys::kNoFd;  // stdout or stderr, or
    const char* path = nullptr;
  };
  Target text_target(TextBuffer& path) const;
  Target json_target(TextBuffer& path) const;
  void log_name(TextBuffer& path) const;
  static i64 append(const Target& target, Text record);
  static void complain(const Target& target, i64 error, Text consequence);

  const Options& options_;
  u64 lost_json_ = 0;
  bool text_failed_ = false;
};

}  // namespace bigfoot::rt::report
