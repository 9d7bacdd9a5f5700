// Reads BFJ text.
//
//   program   ::= (class | shared | thread)*
//   class     ::= "class" NAME "{" (["volatile"] NAME ("," NAME)* ";" | method)* "}"
//   method    ::= NAME "(" [NAME ("," NAME)*] ")" "{" stmt* ["return" [NAME] ";"] "}"
//   shared    ::= "shared" NAME ["=" ("new" NAME | "new_array" NUMBER)] ";"
//   thread    ::= "thread" "{" stmt* "}"
//   stmt      ::= "skip" ";" | x "=" e ";" | x "<-" y ";" | "acq" "(" x ")" ";" | "rel" "(" x ")"
//   ";"
//               | x "=" "new" c ";" | x "=" "new_array" e ";"
//               | x "=" y "." f ";" | y "." f "=" e ";" | x "=" y "[" e "]" ";" | y "[" e "]" "=" e
//               ";" | [x "="] y "." m "(" e* ")" ";" | x "=" "fork" y "." m "(" e* ")" ";" | "join"
//               "(" x ")" ";" | "wait" "(" x ")" ";" | "notify" "(" x ")" ";" | "if" "(" e ")"
//               ("break" ";" | block ["else" block]) | "break" ";" | "loop" block | "while" "(" e
//               ")" block | "for" "(" x "=" e ";" e ";" x "=" e ")" block | "try" block "catch"
//               block | "throw" ";" | "halt" ";" | ("check_read" | "check_write") "(" path (","
//               path)* ")" ";"
//   path      ::= y "." f ("/" f)* | y "[" e [".." e [":" NUMBER]] "]"
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "frontends/bfj/ast.h"

namespace bigfoot::bfj {

struct Diagnostic {
  SourcePos pos;
  std::string message;
};

struct ParseResult {
  Program program;  // meaningful only without errors
  std::vector<Diagnostic> errors;
  bool ok() const { return errors.empty(); }
};

// After an error the parser goes on at the next statement, so that one run reports several. At most
// kMaxErrors are kept. Nesting deeper than kMaxDepth is an error, not a stack overflow.
constexpr std::size_t kMaxErrors = 20;
constexpr int kMaxDepth = 200;
ParseResult parse(std::string_view text);

// "FILE:line:column: error: message" per error.
std::string format(const std::vector<Diagnostic>& errors, std::string_view file);

}  // namespace bigfoot::bfj
