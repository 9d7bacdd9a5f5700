// Writes JSON piece by piece. Whatever the texts hold, the result is valid JSON in valid UTF-8:
// control characters are escaped, bytes that are no UTF-8 become U+FFFD.
#pragma once

#include "runtime/base/text.h"

namespace bigfoot::rt::report {

class JsonWriter {
 public:
  explicit JsonWriter(TextBuffer& out) : out_(out) {}

  void begin_object() { open('{'); }
  void end_object() { close('}'); }
  void begin_array() { open('['); }
  void end_array() { close(']'); }
  // Names the next value of an object. Keys are ours: nothing in them needs escaping.
  JsonWriter& key(Text name);
  void string(Text value);
  void number(u64 value);
  void boolean(bool value);
  void null();
  void address(u64 value);  // "0x1f": JSON's numbers do not hold 64 bits everywhere

 private:
  void open(char c);
  void close(char c);
  void separate();

  TextBuffer& out_;
  bool first_ = true;  // nothing stands before the next value
};

}  // namespace bigfoot::rt::report
