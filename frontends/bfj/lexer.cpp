#include "frontends/bfj/lexer.h"

#include <array>
#include <charconv>

namespace bigfoot::bfj {
namespace {

bool starts_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool continues_name(char c) {
  return starts_name(c) || is_digit(c) || c == '\'' || c == '$';
}

// Longest first.
constexpr std::array<std::string_view, 32> kPunctuation{
    "||", "&&", "==", "!=", "<=", ">=", "<-", "..", "{", "}", "(", ")", "[", "]", ";", ",",
    ".",  ":",  "=",  "<",  ">",  "+",  "-",  "*",  "/", "%", "!", "?", "|", "&", "@", "#"};

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  std::vector<Token> run() {
    std::vector<Token> tokens;
    while (skip_blank(), at_ < text_.size()) tokens.push_back(next());
    tokens.push_back({Token::Kind::End, {}, pos_});
    return tokens;
  }

 private:
  void advance(std::size_t count) {
    for (; count > 0 && at_ < text_.size(); --count, ++at_) {
      if (text_[at_] == '\n') {
        ++pos_.line;
        pos_.column = 1;
      } else {
        ++pos_.column;
      }
    }
  }

  void skip_blank() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
        advance(1);
      } else if (text_.substr(at_, 2) == "//") {
        const std::size_t end = text_.find('\n', at_);
        advance((end == std::string_view::npos ? text_.size() : end) - at_);
      } else {
        return;
      }
    }
  }

  Token take(Token::Kind kind, std::size_t length) {
    Token token{kind, text_.substr(at_, length), pos_};
    advance(length);
    return token;
  }

  Token next() {
    const char c = text_[at_];
    std::size_t length = 1;
    if (starts_name(c)) {
      while (at_ + length < text_.size() && continues_name(text_[at_ + length])) ++length;
      return take(Token::Kind::Name, length);
    }
    if (is_digit(c)) {
      while (at_ + length < text_.size() && is_digit(text_[at_ + length])) ++length;
      Token token = take(Token::Kind::Number, length);
      const auto parsed =
          std::from_chars(token.text.data(), token.text.data() + token.text.size(), token.number);
      if (parsed.ec != std::errc()) token.kind = Token::Kind::Unknown;
      return token;
    }
    for (std::string_view p : kPunctuation) {
      if (text_.substr(at_, p.size()) == p) return take(Token::Kind::Punctuation, p.size());
    }
    return take(Token::Kind::Unknown, 1);
  }

  std::string_view text_;
  std::size_t at_ = 0;
  SourcePos pos_{1, 1};
};

}  // namespace

std::vector<Token> tokenize(std::string_view text) {
  return Lexer(text).run();
}

}  // namespace bigfoot::bfj
