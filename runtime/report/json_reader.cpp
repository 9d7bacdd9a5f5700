#include "runtime/report/json_reader.h"

namespace bigfoot::rt::report {
namespace {

char* put_utf8(char* to, u32 c) {
  if (c < 0x80) {
    *to++ = static_cast<char>(c);
  } else if (c < 0x800) {
    *to++ = static_cast<char>(0xc0 | (c >> 6));
    *to++ = static_cast<char>(0x80 | (c & 0x3f));
  } else if (c < 0x10000) {
    *to++ = static_cast<char>(0xe0 | (c >> 12));
    *to++ = static_cast<char>(0x80 | ((c >> 6) & 0x3f));
    *to++ = static_cast<char>(0x80 | (c & 0x3f));
  } else {
    *to++ = static_cast<char>(0xf0 | (c >> 18));
    *to++ = static_cast<char>(0x80 | ((c >> 12) & 0x3f));
    *to++ = static_cast<char>(0x80 | ((c >> 6) & 0x3f));
    *to++ = static_cast<char>(0x80 | (c & 0x3f));
  }
  return to;
}

char simple_escape(char c) {
  switch (c) {
    case 'n':
      return '\n';
    case 't':
      return '\t';
    case 'r':
      return '\r';
    case 'b':
      return '\b';
    case 'f':
      return '\f';
    case '"':
    case '\\':
    case '/':
      return c;
    default:
      return 0;
  }
}

}  // namespace

void JsonReader::skip_blanks() {
  while (at_ < end_ && (*at_ == ' ' || *at_ == '\t' || *at_ == '\n' || *at_ == '\r')) ++at_;
}

bool JsonReader::take(char c) {
  skip_blanks();
  if (at_ >= end_ || *at_ != c) return false;
  ++at_;
  return true;
}

bool JsonReader::hex4(u32& out) {
  u64 v = 0;
  if (end_ - at_ < 4 || !parse_hex({at_, 4}, v)) return false;
  at_ += 4;
  out = static_cast<u32>(v);
  return true;
}

bool JsonReader::decode_escape(char*& to) {
  if (at_ >= end_) return false;
  const char c = *at_++;
  if (c != 'u') {
    const char decoded = simple_escape(c);
    if (decoded == 0) return false;
    *to++ = decoded;
    return true;
  }
  u32 code = 0;
  if (!hex4(code)) return false;
  if (code >= 0xd800 && code < 0xdc00) {
    u32 low = 0;
    if (end_ - at_ < 6 || at_[0] != '\\' || at_[1] != 'u') return false;
    at_ += 2;
    if (!hex4(low) || low < 0xdc00 || low > 0xdfff) return false;
    code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
  }
  to = put_utf8(to, code);  // at most 4 bytes for the 6 or 12 that were read
  return true;
}

bool JsonReader::string(Text& out) {
  if (!take('"')) return false;
  char* const begin = at_;
  char* to = at_;
  while (at_ < end_) {
    const char c = *at_++;
    if (c == '"') {
      out = {begin, static_cast<usize>(to - begin)};
      return true;
    }
    if (c != '\\')
      *to++ = c;
    else if (!decode_escape(to))
      return false;
  }
  return false;
}

bool JsonReader::number(u64& out) {
  skip_blanks();
  char* const begin = at_;
  while (at_ < end_ && *at_ >= '0' && *at_ <= '9') ++at_;
  return parse_decimal({begin, static_cast<usize>(at_ - begin)}, out);
}

bool JsonReader::skip() {
  skip_blanks();
  if (at_ >= end_ || depth_ == kMaxDepth) return false;
  Text ignored;
  if (*at_ == '"') return string(ignored);
  if (*at_ == '{' || *at_ == '[') {
    const bool is_object = *at_ == '{';
    ++depth_;
    const bool ok =
        is_object ? object([this](Text) { return skip(); }) : array([this] { return skip(); });
    --depth_;
    return ok;
  }
  char* const begin = at_;
  while (at_ < end_ && *at_ != ',' && *at_ != '}' && *at_ != ']' && *at_ > ' ') ++at_;
  return at_ > begin;
}

}  // namespace bigfoot::rt::report
