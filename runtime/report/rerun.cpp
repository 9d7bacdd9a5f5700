// The command that runs a process again, in the shell's language.
#include "runtime/report/text_report.h"

namespace bigfoot::rt::report {
namespace {

bool is_plain(char c) {
  constexpr Text kOthers = {"_-./=:,+@%", 10};
  const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  return letter || kOthers.find(c) != kOthers.size;
}

}  // namespace

// Control characters are shown as '?', so that no argument can fake a line.
void write_shell_word(Text word, TextBuffer& out) {
  bool plain = !word.empty();
  for (usize i = 0; i < word.size; ++i) plain = plain && is_plain(word[i]);
  if (plain) {
    out.add(word);
    return;
  }
  out.add("'");
  for (usize i = 0; i < word.size; ++i) {
    const auto c = static_cast<u8>(word[i]);
    if (c == '\'')
      out.add("'\\''");
    else
      out.add_char(c < 0x20 || c == 0x7f ? '?' : word[i]);
  }
  out.add("'");
}

void write_rerun(const ReportRun& run, TextBuffer& out) {
  TextBuffer options;
  options.add(run.options);
  if (run.perturb != 0 && !run.options.contains("perturb="))
    options.add(run.options.empty() ? "" : ":").add("perturb=").add_decimal(run.perturb);
  if (options.size() != 0) {
    out.add("BIGFOOT_OPTIONS=");
    write_shell_word(options.text(), out);
    out.add(" ");
  }
  for (Text rest = run.command; !rest.empty();) {
    const usize n = rest.find('\0');
    write_shell_word(rest.take_front(n), out);
    rest = rest.drop_front(n + 1);
    if (!rest.empty()) out.add(" ");
  }
}

}  // namespace bigfoot::rt::report
