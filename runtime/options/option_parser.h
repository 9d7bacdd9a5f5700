// The language of option strings, which is that of the sanitizers:
//
//   options  = { separator } { option separator { separator } }
//   option   = name "=" value
//   value    = any characters but separators | "'" any but ' "'" | '"' any but " '"'
//   separator: blank, comma, colon, tab, line end
//
// `include=FILE` and `include_if_exists=FILE` read more options from a file.
#pragma once

#include "runtime/base/text.h"
#include "runtime/options/options.h"

namespace bigfoot::rt {

// Who may set what: a source that also serves ThreadSanitizer knows that tool's options only.
enum class OptionDialect : u8 { kOwn, kTsan };

struct OptionSource {
  Text name;  // for messages: "BIGFOOT_OPTIONS"
  OptionDialect dialect = OptionDialect::kOwn;
};

class OptionParser {
 public:
  // Texts are copied into `keeper`; the first error is described in `message` (one line, no line
  // end). `notes` collects one line for each option accepted without effect.
  OptionParser(Options& to, Keeper& keeper, TextBuffer& message, TextBuffer& notes)
      : options_(to), keeper_(keeper), message_(message), notes_(notes) {}

  // False at the first error; what stood before it has taken effect.
  bool parse(Text text, const OptionSource& source);

 private:
  bool parse_one(Text& rest);
  bool take_value(Text name, Text& rest, Text& value);
  bool assign(Text name, Text value);
  bool include(Text path, bool must_exist);
  bool unknown(Text name);
  bool wrong_value(Text name, Text value, Text expected);
  TextBuffer& begin_message();

  Options& options_;
  Keeper& keeper_;
  TextBuffer& message_;
  TextBuffer& notes_;
  OptionSource source_;
  unsigned depth_ = 0;
};

// One line for each option with its present value, in the table's order.
void describe_options(const Options& options, TextBuffer& to);
// docs/options.md.
void document_options(TextBuffer& to);

}  // namespace bigfoot::rt
