#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>

#include "runtime/base/token.h"
#include "runtime/draft/stop/row_features.h"

namespace outrider::draft {

/// A token that a draft model has drafted.
struct DraftedToken {
  int number = 0;  // in its round, from 1
  float log_q =
      0;  // logarithm of its probability in softmax of the draft's logits: T = 1, nothing filtered
  std::int64_t index = 0;     // in the generated text, from 0
  float lead = 0;             // sampling::ChosenToken::lead, for policies that need it
  RowFeatures features = {};  // of the row from which it was drawn, for policies that need them
  Token token = 0;
  std::span<const Token> before =
      {};  // the text and the tokens drafted before it, for policies that need them
};

/// Decides how many tokens a model drafts in a round. A token is drafted, and then the policy says whether
/// another is to follow it, so every round drafts at least one, and the last one is verified too (DISCO:
/// Mamou et al. 2024, section 3). The longest round is not its concern. Unlike
/// nodes_that_pay a policy knows no prices: the paper's are rules of tokens, whose thresholds and lengths calibration and
/// training choose on whole rounds.
class StopPolicy {
 public:
  static constexpr int kNoLimit = std::numeric_limits<int>::max();

  virtual ~StopPolicy() = default;

  /// Starts a text.
  virtual void start() {}
  /// Whether the round ends with the token drafted last.
  virtual bool stops(const DraftedToken& last) = 0;
  /// Called after each round with its numbers of drafted and accepted tokens.
  virtual void verified(int /*drafted*/, int /*accepted*/) {}

  /// Whether it looks at the lead of tokens.
  virtual bool needs_lead() const { return false; }
  /// Whether it looks at the features of their rows.
  virtual bool needs_features() const { return false; }
  /// Whether it looks at the text before them.
  virtual bool needs_text() const { return false; }

  /// The score that it compares with a threshold; higher: drafting continues. Nothing where it looks at no token.
  virtual std::optional<double> confidence(const DraftedToken& /*last*/) { return std::nullopt; }

  /// How many tokens may be drafted before it is asked about the first of them, where drafting several takes less time.
  virtual int drafted_at_once() const { return kAtOnce; }
  static constexpr int kAtOnce = 4;
};

}  // namespace outrider::draft
