#pragma once

#include <memory>
#include <span>

#include "runtime/base/token.h"
#include "runtime/grammar/answer_format.h"
#include "runtime/sampling/token_constraint.h"
#include "runtime/tokenizer/tokenizer.h"

namespace outrider::grammar {

/// Whether this build has grammars: OUTRIDER_GRAMMAR.
bool has_grammars();

/// Makes constraints of formats, in the tokens of one vocabulary. Answers are JSON on one line, with ", " between
/// members and ": " after names; those of a schema have its properties in its order, and no others unless it says so.
class Grammars {
 public:
  /// @param tokenizer  must outlive it
  /// @param ends       tokens that end an answer, allowed only where it is complete
  /// @param vocab      tokens of the model, which may be more than the tokenizer's: these are never allowed
  Grammars(const text::Tokenizer& tokenizer, std::span<const Token> ends, int vocab);
  ~Grammars();
  Grammars(Grammars&&) noexcept;
  Grammars& operator=(Grammars&&) noexcept;

  /// A format that was made lately is made again at once. A schema is compiled in a process of its own, which has only so
  /// much time and memory. Several threads may call this, one after the other.
  /// @return empty for text; else makes a constraint of each answer, and may be called by any thread
  /// @throws InputError for what is no schema, or says what a grammar cannot ensure, or costs too much; for any format but
  ///         text in a build without grammars
  sampling::NewConstraint compile(const AnswerFormat& format);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace outrider::grammar
