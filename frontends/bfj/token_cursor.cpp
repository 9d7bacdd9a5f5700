#include "frontends/bfj/token_cursor.h"

#include <algorithm>
#include <array>

namespace bigfoot::bfj {
namespace {

constexpr std::array<std::string_view, 29> kReserved{
    "class", "shared", "thread", "volatile", "return",   "skip", "acq",        "rel",
    "new",   "join",   "wait",   "notify",   "if",       "else", "break",      "loop",
    "while", "for",    "try",    "catch",    "throw",    "halt", "check_read", "check_write",
    "fork",  "true",   "false",  "null",     "new_array"};

}  // namespace

const Token& TokenCursor::peek(std::size_t ahead) const {
  return tokens_[std::min(at_ + ahead, tokens_.size() - 1)];
}

bool TokenCursor::at(std::string_view text, std::size_t ahead) const {
  const Token& t = peek(ahead);
  return (t.kind == Token::Kind::Punctuation || t.kind == Token::Kind::Name) && t.text == text;
}

bool TokenCursor::at_name(std::size_t ahead) const {
  return peek(ahead).kind == Token::Kind::Name &&
         std::find(kReserved.begin(), kReserved.end(), peek(ahead).text) == kReserved.end();
}

bool TokenCursor::accept(std::string_view text) {
  if (!at(text)) return false;
  ++at_;
  return true;
}

bool TokenCursor::expect(std::string_view text) {
  if (accept(text)) return true;
  error("expected '" + std::string(text) + "'" + found());
  return false;
}

std::string TokenCursor::name(std::string_view what) {
  if (at_name()) return std::string(next().text);
  error("expected " + std::string(what) + found());
  return {};
}

std::string TokenCursor::found() const {
  if (at_end()) return " before the end of the file";
  return " but found '" + std::string(peek().text) + "'";
}

void TokenCursor::error_at(SourcePos pos, std::string message) {
  failed_ = true;
  if (!too_many_errors()) errors_.push_back({pos, std::move(message)});
}

void TokenCursor::recover() {
  failed_ = false;
  int depth = 0;
  while (!at_end()) {
    if (at("{")) ++depth;
    if (at("}") && depth-- == 0) return;
    const bool done = depth == 0 && at(";");
    ++at_;
    if (done) return;
  }
}

TokenCursor::Level::Level(TokenCursor& cursor, const char* what) : cursor_(cursor) {
  if (++cursor.depth_ > kMaxDepth) cursor.error(std::string(what) + " nested too deeply");
}

}  // namespace bigfoot::bfj
