#include "runtime/jinja/template.h"

#include <fmt/core.h>

#include <algorithm>

#include "runtime/jinja/evaluator.h"
#include "runtime/jinja/lexer.h"
#include "runtime/jinja/mistake.h"
#include "runtime/jinja/parser.h"
#include "runtime/jinja/python_characters.h"

namespace outrider::jinja {
namespace {

/// "line 3, column 14"
std::string place_of(std::string_view source, std::size_t at) {
  const std::string_view before = source.substr(0, at);
  const std::size_t line_begin = before.rfind('\n') + 1;
  return fmt::format("line {}, column {}", std::count(before.begin(), before.end(), '\n') + 1,
                     character_count(before.substr(line_begin)) + 1);
}

}  // namespace

struct Template::Parsed {
  std::string source;
  Block block;
};

Template::Template(std::string_view source) {
  auto parsed = std::make_unique<Parsed>();
  parsed->source = normal_source(source);
  try {
    parsed->block = parse(parsed->source);
  } catch (const Mistake& mistake) {
    throw TemplateError(
        fmt::format("{}: {}", place_of(parsed->source, mistake.at()), mistake.what()));
  }
  parsed_ = std::move(parsed);
}

Template::~Template() = default;

Text Template::render(const Dict& variables, const CivilTime& now, const Limits& limits) const {
  Evaluator evaluator(limits, now);
  try {
    return evaluator.run(parsed_->block, variables);
  } catch (const Refusal& refusal) {
    throw TemplateRefusal(fmt::format("it refuses the conversation: {}", refusal.what()));
  } catch (const Fault& fault) {
    throw TemplateError(fmt::format(
        "{}: {}", place_of(parsed_->source, evaluator.fault_at().value_or(0)), fault.what()));
  }
}

bool Template::mentions(std::string_view name) const {
  const std::vector<Token> tokens = read_tokens(parsed_->source);
  return std::any_of(tokens.begin(), tokens.end(), [&](const Token& token) {
    return token.kind == Token::Kind::kName && token.value == name;
  });
}

}  // namespace outrider::jinja
