#include "runtime/jinja/parser.h"

#include <fmt/core.h>

#include <algorithm>
#include <initializer_list>

#include "runtime/jinja/expression_parser.h"
#include "runtime/jinja/mistake.h"

namespace outrider::jinja {
namespace {

using Kind = Token::Kind;

class Parser {
 public:
  explicit Parser(std::vector<Token> tokens)
      : all_(std::move(tokens)), tokens_(all_), expressions_(tokens_) {}

  Block run() { return block({}); }

 private:
  /// Statements up to a tag of one of these names, which is left after its name; up to the end of the
  /// template if there are none.
  Block block(std::initializer_list<std::string_view> ends) {
    const TokenReader::Level level(tokens_);
    const std::size_t begin = tokens_.now().at;
    Block statements;
    while (true) {
      const std::size_t at = tokens_.now().at;
      switch (tokens_.now().kind) {
        case Kind::kData:
          statements.push_back({at, Data{tokens_.take().value}});
          break;
        case Kind::kVariableBegin:
          tokens_.take();
          statements.push_back({at, Output{expressions_.tuple()}});
          tokens_.expect(Kind::kVariableEnd);
          break;
        case Kind::kBlockBegin: {
          tokens_.take();
          const bool ended = std::any_of(
              ends.begin(), ends.end(), [&](std::string_view end) { return tokens_.is_name(end); });
          if (ended) return statements;
          statements.push_back(statement(at));
          break;
        }
        default:
          if (ends.size() != 0) {
            throw Mistake(fmt::format("a block has no end: expected {{% {} %}}", *(ends.end() - 1)),
                          begin);
          }
          return statements;
      }
    }
  }

  void end_tag() { tokens_.expect(Kind::kBlockEnd); }
  /// The body of a tag whose end has this name.
  Block body(std::string_view end) {
    end_tag();
    Block statements = block({end});
    tokens_.take();
    end_tag();
    return statements;
  }

  Statement statement(std::size_t at) {
    if (tokens_.take_name("if")) return {at, condition()};
    if (tokens_.take_name("for")) return {at, loop()};
    if (tokens_.take_name("set")) return set(at);
    if (tokens_.take_name("macro")) return {at, macro()};
    if (tokens_.take_name("call")) return {at, call_block()};
    if (tokens_.take_name("filter")) {
      ExpressionPtr filter = expressions_.block_filters(/*started=*/true);
      return {at, FilterBlock{std::move(filter), body("endfilter")}};
    }
    if (tokens_.take_name("with")) return {at, with()};
    if (tokens_.take_name("generation")) return {at, With{{}, body("endgeneration")}};
    if (tokens_.is_name("break") || tokens_.is_name("continue")) {
      const bool is_break = tokens_.take().value == "break";
      if (!in_loop_) throw Mistake("break and continue stand in a loop only", at);
      end_tag();
      if (is_break) return {at, Break{}};
      return {at, Continue{}};
    }
    const std::string name = tokens_.expect_any_name();
    throw Mistake(fmt::format("unknown tag '{}', or one that stands in the wrong place", name), at);
  }

  If condition() {
    If made;
    std::string_view kind = "elif";
    while (kind == "elif") {
      ExpressionPtr test = expressions_.tuple(/*conditions=*/false);
      end_tag();
      Block then = block({"elif", "else", "endif"});
      made.branches.emplace_back(std::move(test), std::move(then));
      kind = tokens_.take().value;
    }
    if (kind == "else") {
      end_tag();
      made.otherwise = block({"endif"});
      tokens_.take();
    }
    end_tag();
    return made;
  }

  For loop() {
    For made;
    made.target = target();
    tokens_.expect_name("in");
    made.elements = expressions_.tuple(/*conditions=*/false, "recursive");
    if (tokens_.take_name("if")) made.condition = expressions_.expression();
    made.is_recursive = tokens_.take_name("recursive");
    end_tag();
    const bool outer = std::exchange(in_loop_, true);
    made.body = block({"else", "endfor"});
    in_loop_ = outer;
    if (tokens_.take().value == "else") {
      end_tag();
      made.otherwise = block({"endfor"});
      tokens_.take();
    }
    end_tag();
    return made;
  }

  static void check_assignable(const Token& name) {
    for (const char* fixed : {"true", "false", "none", "True", "False", "None"}) {
      if (name.value == fixed) throw Mistake(fmt::format("cannot assign to '{}'", fixed), name.at);
    }
  }

  Target one_target() {
    const TokenReader::Level level(tokens_);
    if (tokens_.take_operator("(")) {
      Target inner = target();
      tokens_.expect_operator(")");
      return inner;
    }
    const Token& name = tokens_.expect(Kind::kName);
    check_assignable(name);
    Target made{name.value};
    if (tokens_.take_operator(".")) made.attribute = tokens_.expect_any_name();
    return made;
  }

  Target target() {
    Target first = one_target();
    if (!tokens_.is_operator(",")) return first;
    Target all;
    all.several.push_back(std::move(first));
    while (tokens_.take_operator(",") && (tokens_.is(Kind::kName) || tokens_.is_operator("(")) &&
           !tokens_.is_name("in")) {
      all.several.push_back(one_target());
    }
    return all;
  }

  Statement set(std::size_t at) {
    Target to = target();
    if (tokens_.take_operator("=")) {
      ExpressionPtr value = expressions_.tuple();
      end_tag();
      return {at, Set{std::move(to), std::move(value)}};
    }
    ExpressionPtr filter = expressions_.block_filters(/*started=*/false);
    return {at, SetBlock{std::move(to), std::move(filter), body("endset")}};
  }

  std::vector<Parameter> parameters() {
    std::vector<Parameter> made;
    tokens_.expect_operator("(");
    while (!tokens_.is_operator(")")) {
      const Token& name = tokens_.expect(Kind::kName);
      check_assignable(name);
      ExpressionPtr otherwise;
      if (tokens_.take_operator("=")) {
        otherwise = expressions_.expression();
      } else if (!made.empty() && made.back().otherwise) {
        throw Mistake("a parameter without a default stands after one with a default", name.at);
      }
      made.push_back({name.value, std::move(otherwise)});
      if (!tokens_.take_operator(",")) break;
    }
    tokens_.expect_operator(")");
    return made;
  }

  /// The body of a macro, and which names for more arguments it has in it.
  std::shared_ptr<const MacroCode> code(MacroCode made, std::string_view end) {
    const bool outer = std::exchange(in_loop_, false);
    const std::size_t begin = tokens_.now().at;
    made.body = body(end);
    in_loop_ = outer;
    for (const Token& token : all_) {
      if (token.kind != Kind::kName || token.at < begin || token.at >= tokens_.now().at) continue;
      made.takes_more_positional |= token.value == "varargs";
      made.takes_more_named |= token.value == "kwargs";
      made.takes_caller |= token.value == "caller";
    }
    return std::make_shared<const MacroCode>(std::move(made));
  }

  Macro macro() {
    MacroCode made;
    made.name = tokens_.expect_any_name();
    made.parameters = parameters();
    return {code(std::move(made), "endmacro")};
  }

  CallBlock call_block() {
    MacroCode made;
    made.name = "caller";
    if (tokens_.is_operator("(")) made.parameters = parameters();
    const std::size_t at = tokens_.now().at;
    ExpressionPtr call = expressions_.expression();
    if (!std::holds_alternative<Call>(call->node)) throw Mistake("expected a call", at);
    return {std::move(call), code(std::move(made), "endcall")};
  }

  With with() {
    With made;
    while (!tokens_.is(Kind::kBlockEnd)) {
      if (!made.assignments.empty()) tokens_.expect_operator(",");
      Target to = one_target();
      tokens_.expect_operator("=");
      made.assignments.emplace_back(std::move(to), expressions_.expression());
    }
    made.body = body("endwith");
    return made;
  }

  std::vector<Token> all_;
  TokenReader tokens_;
  ExpressionParser expressions_;
  bool in_loop_ = false;
};

}  // namespace

Block parse(std::string_view source) { return Parser(read_tokens(source)).run(); }

}  // namespace outrider::jinja
