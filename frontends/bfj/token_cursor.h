// Where a parser stands in its tokens, and what it has found wrong so far.
//
// After an error `failed()` holds and parsing functions return as soon as they can; whoever reads a
// list (of statements, members, items) calls recover() and goes on.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "frontends/bfj/lexer.h"
#include "frontends/bfj/parser.h"

namespace bigfoot::bfj {

class TokenCursor {
 public:
  explicit TokenCursor(std::string_view text) : tokens_(tokenize(text)) {}

 protected:
  const Token& peek(std::size_t ahead = 0) const;
  const Token& next() { return tokens_[at_++]; }  // REQUIRES: not at the end
  std::size_t position() const { return at_; }
  void skip(std::size_t tokens = 1) { at_ += tokens; }

  bool at(std::string_view text, std::size_t ahead = 0) const;
  bool at_name(std::size_t ahead = 0) const;  // a name that is no keyword
  bool at_end() const { return peek().kind == Token::Kind::End; }
  bool accept(std::string_view text);
  bool expect(std::string_view text);
  std::string name(std::string_view what);

  bool failed() const { return failed_; }
  bool too_many_errors() const { return errors_.size() >= kMaxErrors; }
  std::string found() const;
  void error(std::string message) { error_at(peek().pos, std::move(message)); }
  void error_at(SourcePos pos, std::string message);
  // Skips to just after the next ';', or to a '}' or the end, so that parsing can go on there.
  void recover();
  std::vector<Diagnostic> take_errors() { return std::move(errors_); }

  // One level of nesting, for as long as it lives; `too_deep` is an error and says so once.
  class Level {
   public:
    Level(TokenCursor& cursor, const char* what);
    ~Level() { --cursor_.depth_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;
    bool too_deep() const { return cursor_.depth_ > kMaxDepth; }

   private:
    TokenCursor& cursor_;
  };

 private:
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  int depth_ = 0;
  bool failed_ = false;
  std::vector<Diagnostic> errors_;
};

}  // namespace bigfoot::bfj
