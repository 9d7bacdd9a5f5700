#include "runtime/report/json_writer.h"

namespace bigfoot::rt::report {
namespace {

// Length of the well-formed UTF-8 sequence at the front of `t`, 0 if there is none (overlong forms,
// surrogates and values above U+10FFFF are none).
usize utf8_length(Text t) {
  const auto at = [&](usize i) { return static_cast<u8>(t[i]); };
  const u8 lead = at(0);
  if (lead < 0x80) return 1;
  const usize n = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || t.size < n) return 0;
  for (usize i = 1; i < n; ++i)
    if ((at(i) & 0xc0) != 0x80) return 0;
  if (lead == 0xe0 && at(1) < 0xa0) return 0;
  if (lead == 0xed && at(1) > 0x9f) return 0;
  if (lead == 0xf0 && at(1) < 0x90) return 0;
  if (lead == 0xf4 && at(1) > 0x8f) return 0;
  return n;
}

bool is_plain(char c) {
  return static_cast<u8>(c) >= 0x20 && c != '"' && c != '\\' && c != 0x7f;
}

void add_escaped(char c, TextBuffer& out) {
  if (c == '"' || c == '\\') {
    out.add_char('\\').add_char(c);
    return;
  }
  const auto v = static_cast<u8>(c);
  out.add("\\u00");
  out.add_char("0123456789abcdef"[v >> 4]).add_char("0123456789abcdef"[v & 15]);
}

}  // namespace

void JsonWriter::separate() {
  if (!first_) out_.add_char(',');
  first_ = false;
}

void JsonWriter::open(char c) {
  separate();
  out_.add_char(c);
  first_ = true;
}

void JsonWriter::close(char c) {
  out_.add_char(c);
  first_ = false;
}

JsonWriter& JsonWriter::key(Text name) {
  separate();
  out_.add_char('"').add(name).add("\":");
  first_ = true;
  return *this;
}

void JsonWriter::string(Text value) {
  separate();
  out_.add_char('"');
  while (!value.empty()) {
    usize plain = 0;
    while (plain < value.size && is_plain(value[plain]) && static_cast<u8>(value[plain]) < 0x80)
      ++plain;
    out_.add(value.take_front(plain));
    value = value.drop_front(plain);
    if (value.empty()) break;
    const usize n = utf8_length(value);
    if (n == 0)
      out_.add("\\ufffd");
    else if (n == 1)
      add_escaped(value[0], out_);
    else
      out_.add(value.take_front(n));
    value = value.drop_front(n == 0 ? 1 : n);
  }
  out_.add_char('"');
}

void JsonWriter::number(u64 value) {
  separate();
  out_.add_decimal(value);
}

void JsonWriter::boolean(bool value) {
  separate();
  out_.add(value ? "true" : "false");
}

void JsonWriter::null() {
  separate();
  out_.add("null");
}

void JsonWriter::address(u64 value) {
  separate();
  out_.add_char('"').add_hex(value).add_char('"');
}

}  // namespace bigfoot::rt::report
