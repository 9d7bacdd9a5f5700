#include "runtime/options/option_parser.h"

#include "runtime/options/option_table.h"

namespace bigfoot::rt {
namespace {

constexpr unsigned kMaxIncludeDepth = 8;

bool is_separator(char c) {
  return c == ' ' || c == ',' || c == ':' || c == '\n' || c == '\t' || c == '\r';
}

const OptionEntry* find_entry(Text name) {
  for (const OptionEntry* e = option_entries(); e->name != nullptr; ++e)
    if (name == e->name) return e;
  return nullptr;
}

const IgnoredOption* find_ignored(Text name) {
  for (const IgnoredOption* o = ignored_options(); o->name != nullptr; ++o)
    if (name == o->name) return o;
  return nullptr;
}

// How many characters have to be changed, added or dropped to turn `a` into `b`; more than `kLimit`
// long is "far".
usize distance(Text a, Text b) {
  constexpr usize kLimit = 40;
  if (a.size > kLimit || b.size > kLimit) return kLimit;
  u8 row[kLimit + 1];
  for (usize j = 0; j <= b.size; ++j) row[j] = static_cast<u8>(j);
  for (usize i = 1; i <= a.size; ++i) {
    u8 diagonal = row[0];
    row[0] = static_cast<u8>(i);
    for (usize j = 1; j <= b.size; ++j) {
      const u8 changed = static_cast<u8>(diagonal + (a[i - 1] == b[j - 1] ? 0 : 1));
      diagonal = row[j];
      const u8 shorter = static_cast<u8>((row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1);
      row[j] = changed < shorter ? changed : shorter;
    }
  }
  return row[b.size];
}

const OptionEntry* nearest(Text name) {
  const OptionEntry* best = nullptr;
  usize best_distance = 3;
  for (const OptionEntry* e = option_entries(); e->name != nullptr; ++e) {
    const usize d = distance(name, e->name);
    if (d < best_distance) best_distance = d, best = e;
  }
  return best;
}

bool parse_flag(Text value, bool& to) {
  if (value == "1" || value == "yes" || value == "true") return to = true, true;
  if (value == "0" || value == "no" || value == "false") return to = false, true;
  return false;
}

bool is_choice(Text value, Text choices) {
  while (!choices.empty()) {
    const usize n = choices.find('|');
    if (value == choices.take_front(n)) return true;
    choices = choices.drop_front(n + 1);
  }
  return false;
}

}  // namespace

TextBuffer& OptionParser::begin_message() {
  message_.clear();
  return message_.add(source_.name).add(": ");
}

bool OptionParser::unknown(Text name) {
  TextBuffer& m = begin_message().add("unknown option '").add(name).add("'");
  if (find_entry(name) != nullptr)
    m.add(" of ThreadSanitizer (BIGFOOT_OPTIONS knows it)");
  else if (const OptionEntry* e = nearest(name))
    m.add("; did you mean '").add(e->name).add("'?");
  else
    m.add(" (help=1 lists them all)");
  return false;
}

bool OptionParser::wrong_value(Text name, Text value, Text expected) {
  begin_message().add("option '").add(name).add("': '").add(value).add("' is not ").add(expected);
  return false;
}

bool OptionParser::parse(Text text, const OptionSource& source) {
  source_ = source;
  while (!text.empty()) {
    if (is_separator(text[0]))
      text = text.drop_front(1);
    else if (!parse_one(text))
      return false;
  }
  return true;
}

bool OptionParser::parse_one(Text& rest) {
  usize n = 0;
  while (n < rest.size && rest[n] != '=' && !is_separator(rest[n])) ++n;
  const Text name = rest.take_front(n);
  if (n == rest.size || rest[n] != '=') {
    begin_message().add("expected '=' after '").add(name).add("'");
    return false;
  }
  rest = rest.drop_front(n + 1);
  Text value;
  return take_value(name, rest, value) && assign(name, value);
}

bool OptionParser::take_value(Text name, Text& rest, Text& value) {
  const char quote = rest.empty() ? ' ' : rest[0];
  if (quote != '\'' && quote != '"') {
    usize n = 0;
    while (n < rest.size && !is_separator(rest[n])) ++n;
    value = rest.take_front(n);
    rest = rest.drop_front(n);
    return true;
  }
  rest = rest.drop_front(1);
  const usize n = rest.find(quote);
  if (n == rest.size) {
    begin_message().add("option '").add(name).add("': the quote is not closed");
    return false;
  }
  value = rest.take_front(n);
  rest = rest.drop_front(n + 1);
  return true;
}

bool OptionParser::assign(Text name, Text value) {
  if (name == "include") return include(value, true);
  if (name == "include_if_exists") return include(value, false);
  const OptionEntry* e = find_entry(name);
  const bool foreign =
      e != nullptr && source_.dialect == OptionDialect::kTsan && e->origin != OptionOrigin::kTsan;
  if (e == nullptr || foreign) {
    const IgnoredOption* ignored = find_ignored(name);
    if (ignored == nullptr) return unknown(name);
    notes_.add(source_.name)
        .add(": ")
        .add(name)
        .add(" has no effect: ")
        .add(ignored->reason)
        .add("\n");
    return true;
  }
  void* to = field(options_, *e);
  switch (e->type) {
    case OptionType::kFlag:
      return parse_flag(value, *static_cast<bool*>(to)) || wrong_value(name, value, "0 or 1");
    case OptionType::kNumber: {
      u64 number = 0;
      if (!parse_decimal(value, number)) return wrong_value(name, value, "a number");
      if (number > e->largest) {
        wrong_value(name, value, "in range: the largest is ");
        message_.add_decimal(e->largest);
        return false;
      }
      *static_cast<u64*>(to) = number;
      return true;
    }
    case OptionType::kChoice:
      if (!is_choice(value, e->choices)) {
        wrong_value(name, value, "one of ");
        message_.add(e->choices);
        return false;
      }
      [[fallthrough]];
    case OptionType::kText:
      *static_cast<const char**>(to) = keeper_.copy(value).data;
      return true;
  }
  return false;
}

bool OptionParser::include(Text path, bool must_exist) {
  const char* name = keeper_.copy(path).data;
  if (!must_exist && !sys::exists(name)) return true;
  if (depth_ == kMaxIncludeDepth) {
    begin_message().add("'").add(path).add("' is included too deeply; does it include itself?");
    return false;
  }
  TextBuffer content;
  if (!read_file(name, content)) {
    begin_message().add("cannot read the options file '").add(path).add("'");
    return false;
  }
  const OptionSource outer = source_;
  ++depth_;
  const bool ok = parse(content.text(), {Text(name), outer.dialect});
  --depth_;
  source_ = outer;
  return ok;
}

}  // namespace bigfoot::rt
