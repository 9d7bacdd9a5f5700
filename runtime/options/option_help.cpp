// help=1 and docs/options.md.
#include "runtime/options/option_parser.h"
#include "runtime/options/option_table.h"

namespace bigfoot::rt {
namespace {

void add_value(const Options& options, const OptionEntry& e, TextBuffer& to) {
  const void* at = field(options, e);
  switch (e.type) {
    case OptionType::kFlag:
      to.add(*static_cast<const bool*>(at) ? "1" : "0");
      return;
    case OptionType::kNumber:
      to.add_decimal(*static_cast<const u64*>(at));
      return;
    case OptionType::kText:
    case OptionType::kChoice:
      to.add(*static_cast<const char* const*>(at));
      return;
  }
}

// A '|' would end the table's cell.
void add_cell(Text text, TextBuffer& to) {
  for (usize i = 0; i < text.size; ++i) {
    if (text[i] == '|') to.add_char('\\');
    to.add_char(text[i]);
  }
}

}  // namespace

void describe_options(const Options& options, TextBuffer& to) {
  to.add("Options of BigFoot (BIGFOOT_OPTIONS):\n");
  for (const OptionEntry* e = option_entries(); e->name != nullptr; ++e) {
    to.add("\t").add(e->name).add("=");
    add_value(options, *e, to);
    to.add("\n\t\t- ").add(e->description).add("\n");
  }
}

void document_options(TextBuffer& to) {
  to.add(
      "# Options of the run time\n\n"
      "Set in the environment variable `BIGFOOT_OPTIONS` as `name=value`, separated by blanks, "
      "commas,\n"
      "colons or line ends; values may be quoted (`'...'` or `\"...\"`). `include=FILE` and\n"
      "`include_if_exists=FILE` read more from a file. Options marked *TSan* exist with the same "
      "meaning\n"
      "in ThreadSanitizer and may also be set in `TSAN_OPTIONS`. A program can bring its own "
      "defaults\n"
      "with `const char* __bf_default_options(void)` or `__tsan_default_options`. Later sources "
      "win:\n"
      "`__tsan_default_options`, `__bf_default_options`, `TSAN_OPTIONS`, `BIGFOOT_OPTIONS`.\n\n"
      "An unknown option or a bad value is one line on stderr and exit code 64 before `main`.\n\n"
      "| option | default | | meaning |\n|---|---|---|---|\n");
  const Options defaults;
  for (const OptionEntry* e = option_entries(); e->name != nullptr; ++e) {
    to.add("| `").add(e->name).add("` | ");
    TextBuffer value;
    add_value(defaults, *e, value);
    if (value.size() != 0) to.add("`").add(value.text()).add("`");
    to.add(" | ").add(e->origin == OptionOrigin::kTsan ? "TSan" : "").add(" | ");
    add_cell(e->description, to);
    if (e->type == OptionType::kChoice) {
      to.add(" One of `");
      add_cell(e->choices, to);
      to.add("`.");
    }
    to.add(" |\n");
  }
  to.add(
      "\n## Accepted without effect\n\n"
      "Options of ThreadSanitizer that have nothing to set here (`verbosity=1` mentions each "
      "use):\n\n"
      "| option | why |\n|---|---|\n");
  for (const IgnoredOption* o = ignored_options(); o->name != nullptr; ++o)
    to.add("| `").add(o->name).add("` | ").add(o->reason).add(" |\n");
}

}  // namespace bigfoot::rt
