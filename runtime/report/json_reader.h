// Reads a JSON text in one pass, without building a tree: the caller asks for what it expects and
// skips the rest. Strings are decoded in place, so the text is the reader's to change.
#pragma once

#include "runtime/base/text.h"

namespace bigfoot::rt::report {

class JsonReader {
 public:
  JsonReader(char* text, usize size) : at_(text), end_(text + size) {}

  // Calls member(key) for each member; it has to read or skip the value and return true to go on.
  template <class F>
  bool object(F member) {
    if (!take('{')) return false;
    if (take('}')) return true;
    do {
      Text key;
      if (!string(key) || !take(':') || !member(key)) return false;
    } while (take(','));
    return take('}');
  }
  // Calls element() for each element, in the same way.
  template <class F>
  bool array(F element) {
    if (!take('[')) return false;
    if (take(']')) return true;
    do {
      if (!element()) return false;
    } while (take(','));
    return take(']');
  }
  bool string(Text& out);
  bool number(u64& out);  // not negative, no fraction
  bool skip();            // any value

 private:
  static constexpr unsigned kMaxDepth = 32;
  void skip_blanks();
  bool take(char c);
  bool decode_escape(char*& to);
  bool hex4(u32& out);

  char* at_;
  char* end_;
  unsigned depth_ = 0;
};

}  // namespace bigfoot::rt::report
