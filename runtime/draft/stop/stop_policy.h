#pragma once

#include "runtime/base/token.h"

namespace outrider::draft {

/// A token that a draft model has drafted.
struct DraftedToken {
  int number;  // in its round, from 1
  float
      log_q;  // logarithm of its probability in softmax of the draft's logits: T = 1, nothing filtered
};

/// Decides how many tokens a model drafts in a round. A token is drafted, and then the policy says whether
/// another is to follow it, so every round drafts at least one, and the last one is verified too (DISCO:
/// Mamou et al. 2024, section 3). The longest round is not its concern.
class StopPolicy {
 public:
  virtual ~StopPolicy() = default;

  /// Starts a text.
  virtual void start() {}
  /// Whether the round ends with the token drafted last.
  virtual bool stops(const DraftedToken& last) = 0;
  /// Called after each round with what became of it, in tokens.
  virtual void verified(int /*drafted*/, int /*accepted*/) {}
};

}  // namespace outrider::draft
