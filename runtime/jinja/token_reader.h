#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runtime/jinja/lexer.h"

namespace outrider::jinja {

/// Goes through the tokens of a template.
class TokenReader {
 public:
  /// @param tokens  the last is the end of the source; they must outlive the reader
  explicit TokenReader(const std::vector<Token>& tokens) : tokens_(tokens) {}

  const Token& now() const { return tokens_[next_]; }
  bool is(Token::Kind kind) const { return now().kind == kind; }
  bool is_name(std::string_view name) const {
    return is(Token::Kind::kName) && now().value == name;
  }
  bool is_operator(std::string_view written) const {
    return is(Token::Kind::kOperator) && now().value == written;
  }
  /// Whether the token after this one is the operator.
  bool next_is_operator(std::string_view written) const;

  /// The token here; the reader goes on, but not beyond the end.
  const Token& take();
  bool take_name(std::string_view name);
  bool take_operator(std::string_view written);

  /// @throws Mistake saying what was expected and found
  const Token& expect(Token::Kind kind);
  std::string expect_any_name();
  void expect_operator(std::string_view written);
  void expect_name(std::string_view name);
  [[noreturn]] void fail_expecting(std::string_view what) const;

  /// One level of syntax inside another, while it lives. A chain of operators counts as its length, since
  /// it is a tree of that depth.
  class Level {
   public:
    explicit Level(TokenReader& reader) : reader_(reader) { deeper(); }
    ~Level() { reader_.depth_ -= added_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;
    /// @throws Mistake if it is too deep
    void deeper();

   private:
    TokenReader& reader_;
    int added_ = 0;
  };

 private:
  const std::vector<Token>& tokens_;
  std::size_t next_ = 0;
  int depth_ = 0;
};

}  // namespace outrider::jinja
