#include "runtime/jinja/expression_parser.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <optional>

#include "runtime/base/numbers.h"
#include "runtime/jinja/mistake.h"

namespace outrider::jinja {
namespace {

using Kind = Token::Kind;

template <typename Node>
ExpressionPtr make(std::size_t at, Node node) {
  return std::make_unique<Expression>(Expression{at, std::move(node)});
}

struct Written {
  std::string_view name;
  Operator op;
};

template <std::size_t N>
std::optional<Operator> find_operator(const TokenReader& tokens,
                                      const std::array<Written, N>& known) {
  for (const Written& one : known) {
    if (tokens.is_operator(one.name)) return one.op;
  }
  return std::nullopt;
}

}  // namespace

ExpressionPtr ExpressionParser::expression() {
  TokenReader::Level level(tokens_);
  ExpressionPtr value = either();
  while (tokens_.is_name("if")) {
    level.deeper();
    const std::size_t at = tokens_.take().at;
    ExpressionPtr condition = either();
    ExpressionPtr otherwise = tokens_.take_name("else") ? expression() : nullptr;
    value = make(at, Conditional{std::move(condition), std::move(value), std::move(otherwise)});
  }
  return value;
}

ExpressionPtr ExpressionParser::without_condition() {
  const TokenReader::Level level(tokens_);
  return either();
}

ExpressionPtr ExpressionParser::tuple(bool conditions, std::string_view stop) {
  const std::size_t at = tokens_.now().at;
  std::vector<ExpressionPtr> items;
  bool has_comma = false;
  while (!tokens_.is(Kind::kBlockEnd) && !tokens_.is(Kind::kVariableEnd) &&
         !tokens_.is_operator(")") && (stop.empty() || !tokens_.is_name(stop))) {
    items.push_back(conditions ? expression() : without_condition());
    if (!tokens_.take_operator(",")) break;
    has_comma = true;
  }
  if (items.size() == 1 && !has_comma) return std::move(items.front());
  if (items.empty()) tokens_.fail_expecting("an expression");
  return make(at, Sequence{std::move(items), /*is_tuple=*/true});
}

ExpressionPtr ExpressionParser::either() {
  TokenReader::Level level(tokens_);
  ExpressionPtr left = both();
  while (tokens_.is_name("or")) {
    level.deeper();
    const std::size_t at = tokens_.take().at;
    left = make(at, Or{std::move(left), both()});
  }
  return left;
}

ExpressionPtr ExpressionParser::both() {
  TokenReader::Level level(tokens_);
  ExpressionPtr left = negation();
  while (tokens_.is_name("and")) {
    level.deeper();
    const std::size_t at = tokens_.take().at;
    left = make(at, And{std::move(left), negation()});
  }
  return left;
}

ExpressionPtr ExpressionParser::negation() {
  if (!tokens_.is_name("not")) return comparison();
  const TokenReader::Level level(tokens_);
  const std::size_t at = tokens_.take().at;
  return make(at, Negation{negation()});
}

ExpressionPtr ExpressionParser::comparison() {
  static constexpr std::array<Written, 6> kKnown = {{{"==", Operator::kEqual},
                                                     {"!=", Operator::kNotEqual},
                                                     {"<", Operator::kLess},
                                                     {"<=", Operator::kLessEqual},
                                                     {">", Operator::kGreater},
                                                     {">=", Operator::kGreaterEqual}}};
  ExpressionPtr first = sum();
  const std::size_t at = tokens_.now().at;
  std::vector<std::pair<Operator, ExpressionPtr>> rest;
  while (true) {
    if (const auto op = find_operator(tokens_, kKnown)) {
      tokens_.take();
      rest.emplace_back(*op, sum());
    } else if (tokens_.take_name("in")) {
      rest.emplace_back(Operator::kIn, sum());
    } else if (tokens_.is_name("not")) {
      tokens_.take();
      tokens_.expect_name("in");
      rest.emplace_back(Operator::kNotIn, sum());
    } else {
      break;
    }
  }
  if (rest.empty()) return first;
  return make(at, Comparison{std::move(first), std::move(rest)});
}

ExpressionPtr ExpressionParser::sum() {
  static constexpr std::array<Written, 2> kKnown = {
      {{"+", Operator::kAdd}, {"-", Operator::kSubtract}}};
  TokenReader::Level level(tokens_);
  ExpressionPtr left = concatenation();
  while (const auto op = find_operator(tokens_, kKnown)) {
    level.deeper();
    const std::size_t at = tokens_.take().at;
    left = make(at, Arithmetic{*op, std::move(left), concatenation()});
  }
  return left;
}

ExpressionPtr ExpressionParser::concatenation() {
  ExpressionPtr first = product();
  if (!tokens_.is_operator("~")) return first;
  const std::size_t at = tokens_.now().at;
  std::vector<ExpressionPtr> parts;
  parts.push_back(std::move(first));
  while (tokens_.take_operator("~")) parts.push_back(product());
  return make(at, Concatenation{std::move(parts)});
}

ExpressionPtr ExpressionParser::product() {
  static constexpr std::array<Written, 4> kKnown = {{{"*", Operator::kMultiply},
                                                     {"/", Operator::kDivide},
                                                     {"//", Operator::kFloorDivide},
                                                     {"%", Operator::kRemainder}}};
  TokenReader::Level level(tokens_);
  ExpressionPtr left = power();
  while (const auto op = find_operator(tokens_, kKnown)) {
    level.deeper();
    const std::size_t at = tokens_.take().at;
    left = make(at, Arithmetic{*op, std::move(left), power()});
  }
  return left;
}

ExpressionPtr ExpressionParser::power() {
  TokenReader::Level level(tokens_);
  ExpressionPtr left = unary();
  while (tokens_.is_operator("**")) {
    level.deeper();
    const std::size_t at = tokens_.take().at;
    left = make(at, Arithmetic{Operator::kPower, std::move(left), unary()});
  }
  return left;
}

ExpressionPtr ExpressionParser::unary(bool filters) {
  const TokenReader::Level level(tokens_);
  const std::size_t at = tokens_.now().at;
  ExpressionPtr value;
  if (tokens_.is_operator("-") || tokens_.is_operator("+")) {
    const bool minus = tokens_.take().value == "-";
    value = make(at, Sign{unary(/*filters=*/false), minus});
  } else {
    value = primary();
  }
  value = postfix(std::move(value));
  return filters ? filters_and_tests(std::move(value)) : std::move(value);
}

ExpressionPtr ExpressionParser::primary() {
  const std::size_t at = tokens_.now().at;
  switch (tokens_.now().kind) {
    case Kind::kName: {
      std::string name = tokens_.take().value;
      if (name == "true" || name == "True") return make(at, Constant{true});
      if (name == "false" || name == "False") return make(at, Constant{false});
      if (name == "none" || name == "None") return make(at, Constant{None{}});
      return make(at, Variable{std::move(name)});
    }
    case Kind::kString:
      return string();
    case Kind::kInteger:
      return integer();
    case Kind::kFloat: {
      const auto value = parse_real(tokens_.now().value);
      if (!value) throw Mistake("a number is out of range", at);
      tokens_.take();
      return make(at, Constant{*value});
    }
    default:
      break;
  }
  if (tokens_.take_operator("(")) return bracketed_tuple(at);
  if (tokens_.take_operator("[")) return list(at);
  if (tokens_.take_operator("{")) return mapping(at);
  tokens_.fail_expecting("an expression");
}

ExpressionPtr ExpressionParser::bracketed_tuple(std::size_t at) {
  if (tokens_.take_operator(")")) return make(at, Sequence{{}, /*is_tuple=*/true});
  ExpressionPtr value = tuple();
  tokens_.expect_operator(")");
  return value;
}

ExpressionPtr ExpressionParser::list(std::size_t at) {
  std::vector<ExpressionPtr> items;
  while (!tokens_.is_operator("]")) {
    items.push_back(expression());
    if (!tokens_.take_operator(",")) break;
  }
  tokens_.expect_operator("]");
  return make(at, Sequence{std::move(items), /*is_tuple=*/false});
}

ExpressionPtr ExpressionParser::mapping(std::size_t at) {
  Mapping made;
  while (!tokens_.is_operator("}")) {
    ExpressionPtr key = expression();
    tokens_.expect_operator(":");
    made.items.emplace_back(std::move(key), expression());
    if (!tokens_.take_operator(",")) break;
  }
  tokens_.expect_operator("}");
  return make(at, std::move(made));
}

/// Strings beside each other are one.
ExpressionPtr ExpressionParser::string() {
  const std::size_t at = tokens_.now().at;
  std::string value;
  while (tokens_.is(Kind::kString)) value += tokens_.take().value;
  return make(at, Constant{std::move(value)});
}

ExpressionPtr ExpressionParser::integer() {
  const auto value = parse_integer(tokens_.now().value);
  if (!value) throw Mistake("an integer is out of range", tokens_.now().at);
  return make(tokens_.take().at, Constant{*value});
}

ExpressionPtr ExpressionParser::postfix(ExpressionPtr value) {
  TokenReader::Level level(tokens_);
  while (true) {
    level.deeper();
    const std::size_t at = tokens_.now().at;
    if (tokens_.take_operator(".")) {
      if (tokens_.is(Kind::kInteger)) {
        ExpressionPtr key = integer();
        value = make(at, Subscript{std::move(value), std::move(key)});
      } else {
        value = make(at, Attribute{std::move(value), tokens_.expect_any_name()});
      }
    } else if (tokens_.is_operator("[")) {
      value = subscript(std::move(value));
    } else if (tokens_.is_operator("(")) {
      value = make(at, Call{std::move(value), arguments()});
    } else {
      return value;
    }
  }
}

ExpressionPtr ExpressionParser::subscript(ExpressionPtr value) {
  const std::size_t at = tokens_.take().at;
  ExpressionPtr begin;
  if (!tokens_.is_operator(":")) {
    begin = expression();
    if (tokens_.take_operator("]")) return make(at, Subscript{std::move(value), std::move(begin)});
  }
  tokens_.expect_operator(":");
  ExpressionPtr end;
  ExpressionPtr step;
  if (!tokens_.is_operator("]") && !tokens_.is_operator(":")) end = expression();
  if (tokens_.take_operator(":") && !tokens_.is_operator("]")) step = expression();
  tokens_.expect_operator("]");
  return make(at, Slice{std::move(value), std::move(begin), std::move(end), std::move(step)});
}

ExpressionPtr ExpressionParser::filters_and_tests(ExpressionPtr value) {
  TokenReader::Level level(tokens_);
  while (true) {
    level.deeper();
    const std::size_t at = tokens_.now().at;
    if (tokens_.take_operator("|")) {
      value = filter(std::move(value));
    } else if (tokens_.take_name("is")) {
      value = test(std::move(value));
    } else if (tokens_.is_operator("(")) {
      value = make(at, Call{std::move(value), arguments()});
    } else {
      return value;
    }
  }
}

ExpressionPtr ExpressionParser::filter(ExpressionPtr value) {
  const std::size_t at = tokens_.now().at;
  std::string name = tokens_.expect_any_name();
  ArgumentList given;
  if (tokens_.is_operator("(")) given = arguments();
  return make(at, Filter{std::move(value), std::move(name), std::move(given)});
}

ExpressionPtr ExpressionParser::block_filters(bool started) {
  TokenReader::Level level(tokens_);
  ExpressionPtr value;
  while (started || tokens_.take_operator("|")) {
    level.deeper();
    started = false;
    value = filter(std::move(value));
  }
  return value;
}

ExpressionPtr ExpressionParser::test(ExpressionPtr value) {
  const bool negated = tokens_.take_name("not");
  const std::size_t at = tokens_.now().at;
  std::string name = tokens_.expect_any_name();
  ArgumentList given;
  if (tokens_.is_operator("(")) {
    given = arguments();
  } else {
    test_argument(given);
  }
  return make(at, Test{std::move(value), std::move(name), std::move(given), negated});
}

/// One argument without brackets, as in `is divisibleby 3`.
void ExpressionParser::test_argument(ArgumentList& given) {
  const bool begins = tokens_.is(Kind::kName) || tokens_.is(Kind::kString) ||
                      tokens_.is(Kind::kInteger) || tokens_.is(Kind::kFloat) ||
                      tokens_.is_operator("[") || tokens_.is_operator("{");
  if (!begins || tokens_.is_name("else") || tokens_.is_name("or") || tokens_.is_name("and")) return;
  if (tokens_.is_name("is")) throw Mistake("a test of a test needs brackets", tokens_.now().at);
  given.positional.push_back(postfix(primary()));
}

ArgumentList ExpressionParser::arguments() {
  const TokenReader::Level level(tokens_);
  tokens_.expect_operator("(");
  ArgumentList given;
  while (!tokens_.is_operator(")")) {
    const std::size_t at = tokens_.now().at;
    if (tokens_.take_operator("**")) {
      if (given.more_named) throw Mistake("a call has two arguments with **", at);
      given.more_named = expression();
    } else if (tokens_.take_operator("*")) {
      if (given.more_positional || given.more_named)
        throw Mistake("an argument with * stands after another with * or **", at);
      given.more_positional = expression();
    } else if (tokens_.is(Kind::kName) && tokens_.next_is_operator("=")) {
      if (given.more_named) throw Mistake("a named argument stands after **", at);
      std::string name = tokens_.take().value;
      tokens_.take();
      given.named.emplace_back(std::move(name), expression());
    } else {
      if (!given.named.empty() || given.more_positional || given.more_named)
        throw Mistake("an argument without a name stands after one with a name, * or **", at);
      given.positional.push_back(expression());
    }
    if (!tokens_.take_operator(",")) break;
  }
  tokens_.expect_operator(")");
  return given;
}

}  // namespace outrider::jinja
