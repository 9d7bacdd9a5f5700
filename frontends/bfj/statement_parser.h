// Statements and blocks.
#pragma once

#include "frontends/bfj/expression_parser.h"

namespace bigfoot::bfj {

class StatementParser : protected ExpressionParser {
 public:
  using ExpressionParser::ExpressionParser;

 protected:
  BlockPtr parse_block();
  // Up to a '}' or 'return'; a statement with an error is left out.
  void parse_statements(Block& block);

 private:
  StmtPtr parse_statement();
  StmtPtr parse_keyword_statement(SourcePos pos);
  BlockPtr parse_loop_body();
  ExprPtr parse_condition();
  StmtPtr parse_if(SourcePos pos);
  StmtPtr parse_for(SourcePos pos);
  StmtPtr parse_assignment();
  StmtPtr parse_simple_statement(SourcePos pos);
  StmtPtr parse_after_dot(std::string base, SourcePos pos);
  StmtPtr parse_right_side(std::string target, SourcePos pos);
  std::vector<ExprPtr> parse_arguments();
  StmtPtr parse_check(SourcePos pos);
  CheckPath parse_check_path(bool is_write);
  template <class T>
  StmtPtr finish(T node, SourcePos pos);

  int loop_depth_ = 0;
};

}  // namespace bigfoot::bfj
