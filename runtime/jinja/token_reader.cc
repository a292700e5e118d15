#include "runtime/jinja/token_reader.h"

#include <fmt/core.h>

#include "runtime/jinja/mistake.h"

namespace outrider::jinja {
namespace {

constexpr int kDeepest = 300;

std::string kind_name(Token::Kind kind) {
  switch (kind) {
    case Token::Kind::kData:
      return "text";
    case Token::Kind::kVariableBegin:
      return "{{";
    case Token::Kind::kVariableEnd:
      return "}}";
    case Token::Kind::kBlockBegin:
      return "{%";
    case Token::Kind::kBlockEnd:
      return "%}";
    case Token::Kind::kName:
      return "a name";
    case Token::Kind::kString:
      return "a string";
    case Token::Kind::kInteger:
      return "an integer";
    case Token::Kind::kFloat:
      return "a float";
    case Token::Kind::kOperator:
      return "an operator";
    case Token::Kind::kEnd:
      return "the end of the template";
  }
  return "";
}

std::string described(const Token& token) {
  const bool has_value = token.kind == Token::Kind::kName || token.kind == Token::Kind::kOperator;
  return has_value ? fmt::format("'{}'", token.value) : kind_name(token.kind);
}

}  // namespace

bool TokenReader::next_is_operator(std::string_view written) const {
  if (next_ + 1 >= tokens_.size()) return false;
  const Token& next = tokens_[next_ + 1];
  return next.kind == Token::Kind::kOperator && next.value == written;
}

const Token& TokenReader::take() {
  const Token& token = now();
  if (token.kind != Token::Kind::kEnd) ++next_;
  return token;
}

bool TokenReader::take_name(std::string_view name) {
  if (!is_name(name)) return false;
  take();
  return true;
}

bool TokenReader::take_operator(std::string_view written) {
  if (!is_operator(written)) return false;
  take();
  return true;
}

const Token& TokenReader::expect(Token::Kind kind) {
  if (!is(kind)) fail_expecting(kind_name(kind));
  return take();
}

std::string TokenReader::expect_any_name() { return expect(Token::Kind::kName).value; }

void TokenReader::expect_operator(std::string_view written) {
  if (!take_operator(written)) fail_expecting(fmt::format("'{}'", written));
}

void TokenReader::expect_name(std::string_view name) {
  if (!take_name(name)) fail_expecting(fmt::format("'{}'", name));
}

void TokenReader::fail_expecting(std::string_view what) const {
  throw Mistake(fmt::format("expected {}, found {}", what, described(now())), now().at);
}

void TokenReader::Level::deeper() {
  if (reader_.depth_ >= kDeepest) {
    throw Mistake(fmt::format("nested more than {} deep", kDeepest), reader_.now().at);
  }
  ++reader_.depth_;
  ++added_;
}

}  // namespace outrider::jinja
