#include "runtime/options/options.h"

#include "runtime/options/option_parser.h"
#include "runtime/options/usage_error.h"

extern "C" {
// The program may define these.
__attribute__((weak, visibility("default"))) const char* __bf_default_options();
__attribute__((weak, visibility("default"))) const char* __tsan_default_options();
}

namespace bigfoot::rt {
namespace {

// Written by initialise_options() alone, while there is one thread.
constinit Options the_options;

const char* from_hook(const char* (*hook)()) {
  return hook == nullptr ? nullptr : hook();
}

}  // namespace

const Options& options() {
  return the_options;
}

void usage_error(Text line) {
  TextBuffer out;
  out.add("bigfoot: ").add(line).add("\n");
  sys::write_all(sys::kStderr, out.data(), out.size());
  sys::exit_process(kExitUsage);
}

void initialise_options() {
  Keeper keeper;  // its memory outlives it
  TextBuffer message, notes;
  OptionParser parser(the_options, keeper, message, notes);
  const struct {
    OptionSource source;
    const char* text;
  } sources[] = {
      {{"__tsan_default_options", OptionDialect::kTsan}, from_hook(__tsan_default_options)},
      {{"__bf_default_options", OptionDialect::kOwn}, from_hook(__bf_default_options)},
      {{"TSAN_OPTIONS", OptionDialect::kTsan}, sys::environment("TSAN_OPTIONS")},
      {{"BIGFOOT_OPTIONS", OptionDialect::kOwn}, sys::environment("BIGFOOT_OPTIONS")},
  };
  for (const auto& s : sources)
    if (!parser.parse(s.text, s.source)) usage_error(message.text());
  if (the_options.verbosity >= 1) sys::write_all(sys::kStderr, notes.data(), notes.size());
  if (!the_options.help) return;
  TextBuffer help;
  describe_options(the_options, help);
  sys::write_all(sys::kStderr, help.data(), help.size());
}

}  // namespace bigfoot::rt
