#include "tools/report/expression.h"

#include <cctype>

namespace bigfoot::report {
namespace {

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' ||
         static_cast<unsigned char>(c) >= 0x80;
}
bool is_blank(char c) {
  return c == ' ' || c == '\t';
}

class Line {
 public:
  explicit Line(std::string_view text) : text_(text) {}

  std::size_t skip_blanks(std::size_t at) const {
    while (at < text_.size() && is_blank(text_[at])) ++at;
    return at;
  }
  std::size_t skip_blanks_back(std::size_t end) const {
    while (end > 0 && is_blank(text_[end - 1])) --end;
    return end;
  }
  bool has(std::size_t at, std::string_view what) const {
    return text_.substr(at).starts_with(what);
  }
  bool ends(std::size_t end, std::string_view what) const {
    return text_.substr(0, end).ends_with(what);
  }

  // The end of the name, and of what hangs on it: [i], .b, ->c, but no calls.
  std::size_t postfix_end(std::size_t at) const {
    at = name_end(at);
    for (;;) {
      std::size_t next = at;
      if (has(at, "["))
        next = closing(at);
      else if (const std::size_t link = link_at(at);
               link != 0 && at + link < text_.size() && is_word(text_[at + link]))
        next = name_end(at + link);
      if (next == at || next == std::string_view::npos || has(next, "(")) return at;
      at = next;
    }
  }

  // The beginning of the operand that ends at `end`: a word and what it hangs on, to the left.
  std::size_t operand_begin(std::size_t end) const {
    std::size_t begin = end;
    for (;;) {
      if (begin > 0 && (text_[begin - 1] == ']' || text_[begin - 1] == ')')) {
        const std::size_t open = opening(begin - 1);
        if (open == std::string_view::npos) return begin;
        begin = open;
        if (begin > 0 &&
            (is_word(text_[begin - 1]) || text_[begin - 1] == ']' || text_[begin - 1] == ')'))
          continue;
      }
      while (begin > 0 && is_word(text_[begin - 1])) --begin;
      const std::size_t link = link_before(begin);
      if (link == 0) break;
      begin -= link;
    }
    while (begin > 0 && text_[begin - 1] == '*' && starts_expression(begin - 1)) --begin;
    return begin;
  }

  // Where the chain of a.b->c that the word at `at` belongs to begins.
  std::size_t chain_begin(std::size_t at) const {
    const std::size_t link = link_before(at);
    return link == 0 ? at : operand_begin(at - link);
  }

 private:
  // With its qualifiers: no part of std::copy says anything alone.
  std::size_t name_end(std::size_t at) const {
    while (at < text_.size() && (is_word(text_[at]) || qualifies(at))) at += qualifies(at) ? 2 : 1;
    return at;
  }
  bool qualifies(std::size_t at) const {
    return has(at, "::") && at + 2 < text_.size() && is_word(text_[at + 2]);
  }
  std::size_t link_at(std::size_t at) const {
    return has(at, "->") ? 2 : has(at, ".") ? 1 : 0;
  }
  std::size_t link_before(std::size_t at) const {
    return ends(at, "->") || ends(at, "::") ? 2 : ends(at, ".") ? 1 : 0;
  }
  // A star that is no multiplication: nothing but an operator or a delimiter stands before it.
  bool starts_expression(std::size_t at) const {
    const std::size_t before = skip_blanks_back(at);
    return before == 0 ||
           !(is_word(text_[before - 1]) || text_[before - 1] == ')' || text_[before - 1] == ']');
  }
  std::size_t closing(std::size_t open) const {
    int depth = 0;
    for (std::size_t i = open; i < text_.size(); ++i) {
      if (text_[i] == '[') ++depth;
      if (text_[i] == ']' && --depth == 0) return i + 1;
    }
    return std::string_view::npos;
  }
  std::size_t opening(std::size_t close) const {
    const char shut = text_[close], open = shut == ']' ? '[' : '(';
    int depth = 0;
    for (std::size_t i = close + 1; i-- > 0;) {
      if (text_[i] == shut) ++depth;
      if (text_[i] == open && --depth == 0) return i;
    }
    return std::string_view::npos;
  }

  std::string_view text_;
};

constexpr std::string_view kAssignments[] = {
    "<<=", ">>=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "="};

bool is_assignment(const Line& line, std::size_t at) {
  if (line.has(at, "==")) return false;
  for (const std::string_view op : kAssignments)
    if (line.has(at, op)) return true;
  return false;
}

}  // namespace

Span expression_at(std::string_view text, std::size_t column) {
  const Line line(text);
  const std::size_t at = column - 1;
  if (column == 0 || at >= text.size() || is_blank(text[at])) return {};
  if (is_word(text[at])) return {line.chain_begin(at), line.postfix_end(at)};
  const bool steps = line.has(at, "++") || line.has(at, "--");
  const std::size_t operand = line.skip_blanks(at + 2);
  if (steps && operand < text.size() && (is_word(text[operand]) || text[operand] == '*')) {
    const std::size_t word = text[operand] == '*' ? line.skip_blanks(operand + 1) : operand;
    return {at, line.postfix_end(word)};
  }
  if (steps || is_assignment(line, at)) {
    const std::size_t end = line.skip_blanks_back(at);
    const std::size_t begin = line.operand_begin(end);
    if (begin < end) return {begin, steps ? at + 2 : end};
  }
  if (text[at] == '*') {
    const std::size_t word = line.skip_blanks(at + 1);
    if (word < text.size() && is_word(text[word])) return {at, line.postfix_end(word)};
  }
  if (text[at] == '[') return {line.operand_begin(at), line.postfix_end(at)};
  return {at, at + 1};
}

}  // namespace bigfoot::report
