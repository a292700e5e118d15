#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "runtime/draft/drafter.h"
#include "runtime/draft/stop/stop_policy.h"
#include "runtime/engine/engine.h"
#include "runtime/sampling/chooser.h"
#include "runtime/sampling/sequence_sampling.h"
#include "runtime/sampling/token_choice.h"

namespace outrider::study {

/// Called for each token of a text. @param drafted  in its place, with number 0
/// @param is_accepted  whether verification would keep it
using OnDraftOutcome = std::function<void(const draft::DraftedToken& drafted, bool is_accepted)>;

/// What a draft model drafts in place of each token of a text, after the text's own tokens before it. With the
/// target's noise it is kept where it is the text's token. By rejection it is drawn from the draft's distribution
/// and kept or not by the target's, both with noise that the text does not depend on: as decoding would, had
/// it got there.
class DraftOutcomes {
 public:
  /// @param target, draft  must outlive it
  /// @param head_tokens    as Model::head_tokens of the draft model
  DraftOutcomes(engine::Engine& target, engine::Engine& draft, std::vector<Token> head_tokens,
                draft::Verification verification);

  /// @param text      as far as it exceeds the draft model's context, nothing is drafted
  /// @param prompt    tokens of it before the generated ones; the first of these comes from a prefill and is
  ///                  left out
  /// @param sampling  of the text; its counts are the prompt's
  void of(std::span<const Token> text, int prompt, const sampling::SequenceSampling& sampling,
          const OnDraftOutcome& on_outcome);

 private:
  void read_target(std::span<const Token> text, int prompt);
  /// Draws a token and whether it is kept.
  bool reject_or_keep(const sampling::SequenceSampling& sampling, std::size_t position,
                      std::span<const float> target, const engine::LogitsRow& draft, Token& token);

  engine::Engine& target_;
  engine::Engine& draft_;
  sampling::TokenChoice of_target_;
  std::unique_ptr<sampling::Chooser> of_draft_;
  draft::RowFeatureReader features_;
  draft::Verification verification_;
  std::vector<float> rows_;  // [generated tokens, vocabulary] the target's logits before each
  sampling::Distribution p_, q_;
};

}  // namespace outrider::study
