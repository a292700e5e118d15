#pragma once

#include <xgrammar/matcher.h>

#include <cstdint>
#include <vector>

#include "runtime/sampling/token_constraint.h"

namespace outrider::grammar {

/// An answer that follows a compiled grammar.
class MatchedAnswer final : public sampling::TokenConstraint {
 public:
  /// @param vocab  tokens of the model
  MatchedAnswer(const xgrammar::CompiledGrammar& grammar, int vocab);

  sampling::TokenMask allowed() override;
  bool accept(Token token) override;
  void roll_back(int tokens) override;
  bool is_complete() const override;
  std::string forced() override;

 private:
  xgrammar::GrammarMatcher matcher_;
  std::vector<std::uint32_t> mask_;
  bool is_filled_ = false;  // the mask
};

}  // namespace outrider::grammar
