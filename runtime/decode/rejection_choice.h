#pragma once

#include <cstdint>
#include <span>

#include "runtime/base/token.h"
#include "runtime/draft/drafter.h"
#include "runtime/sampling/distribution.h"
#include "runtime/sampling/token_choice.h"

namespace outrider::decode {

/// Replaces the target's own choices in `verify`, to verify a chain by speculative sampling
/// (Leviathan, Kalman, Matias 2023, algorithm 1): in each row the drafted token is accepted with
/// probability min(1, p / q), or else the token is drawn from norm(max(0, p - q)), which never gives the
/// drafted one; after the last, from p. p is the target's distribution and q the one that the token was
/// drawn from, both after all penalties and filters. The text has the distribution of plain decoding, but
/// depends on the drafts.
class RejectionChoice {
 public:
  explicit RejectionChoice(int vocab) : choice_(vocab) {}

  /// The token after a node's row.
  /// @param logits    [vocab] of the row
  /// @param position  of the token
  /// @throws std::logic_error for a node with several children
  Token choose(const sampling::SequenceSampling& sampling, std::span<const float> logits,
               std::int64_t position, const draft::TokenTree& tree, int node,
               const draft::Drafter& drafter);

 private:
  sampling::TokenChoice choice_;
  sampling::Distribution p_;
  sampling::Distribution residual_;
};

}  // namespace outrider::decode
