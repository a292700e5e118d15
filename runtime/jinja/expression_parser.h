#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "runtime/jinja/syntax.h"
#include "runtime/jinja/token_reader.h"

namespace outrider::jinja {

/// Reads expressions, by the precedence of Jinja: if, or, and, not, comparisons, + and -, ~, the other
/// arithmetic, signs, **, and closest what follows a value: attributes, subscripts, calls, filters, tests.
class ExpressionParser {
 public:
  explicit ExpressionParser(TokenReader& tokens) : tokens_(tokens) {}

  /// @throws Mistake at what is no expression
  ExpressionPtr expression();
  /// An expression without an `if`.
  ExpressionPtr without_condition();
  /// An expression, or several separated by commas, which are a tuple.
  /// @param conditions  whether an `if` may be in it
  /// @param stop  a name that ends it
  ExpressionPtr tuple(bool conditions = true, std::string_view stop = {});
  /// One or more filters, of the text of a block.
  /// @param started  whether the first filter's name comes without a bar
  ExpressionPtr block_filters(bool started);
  /// The arguments of a call, from its opening bracket.
  ArgumentList arguments();

 private:
  ExpressionPtr either();
  ExpressionPtr both();
  ExpressionPtr negation();
  ExpressionPtr comparison();
  ExpressionPtr sum();
  ExpressionPtr concatenation();
  ExpressionPtr product();
  ExpressionPtr power();
  ExpressionPtr unary(bool filters = true);
  ExpressionPtr primary();
  ExpressionPtr bracketed_tuple(std::size_t at);
  ExpressionPtr list(std::size_t at);
  ExpressionPtr mapping(std::size_t at);
  ExpressionPtr string();
  ExpressionPtr integer();
  ExpressionPtr postfix(ExpressionPtr value);
  ExpressionPtr subscript(ExpressionPtr value);
  ExpressionPtr filters_and_tests(ExpressionPtr value);
  ExpressionPtr filter(ExpressionPtr value);
  ExpressionPtr test(ExpressionPtr value);
  void test_argument(ArgumentList& arguments);

  TokenReader& tokens_;
};

}  // namespace outrider::jinja
