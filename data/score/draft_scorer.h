#pragma once

#include <memory>
#include <vector>

#include "data/trace.h"
#include "runtime/draft/stop/row_features.h"
#include "runtime/engine/engine.h"
#include "runtime/sampling/chooser.h"

namespace outrider::data {

/// A draft model's scores for each output token of a trace, given the target's own tokens before it. For
/// tokens beyond the draft model's context a choice of -1 and zeros.
struct DraftScores {
  static constexpr int kTop = draft::RowFeatures::kTop;

  std::vector<std::int32_t> choices;  // [output] what it draws with the target's noise
  std::vector<float> log_q;           // [output] of the choice, natural, in softmax at T = 1
  std::vector<float> leads;           // [output] of the choice: sampling::ChosenToken::lead
  std::vector<float> top;             // [output, kTop] draft::RowFeatures::top
  std::vector<float> entropies;       // [output] draft::RowFeatures::entropy
  std::vector<float> distances;       // [output] total variation between target and draft at T = 1,
                                      // nothing filtered
  std::vector<float> sampled_distances;  // [output] the same with the trace's sampler
  std::vector<float> kept;  // [output] how often rejection keeps the choice: min(1, p / q) with it
  std::vector<float> coupled;  // [output] sampling::coupled_acceptance with the trace's sampler

  void resize(std::size_t output);
};

/// Scores traces with a draft model; for the distances the target reads them too.
class DraftScorer {
 public:
  /// @param target, draft  must outlive it
  /// @param sampler        that the traces were generated with, but for temperature and seed
  DraftScorer(engine::Engine& target, engine::Engine& draft, sampling::HeadVocabulary vocabulary,
              sampling::SamplerOptions sampler);

  DraftScores score(const Trace& trace);

 private:
  /// The two models' logits before an output token.
  struct Rows {
    engine::LogitsRow target;
    engine::LogitsRow draft;
  };
  void score_token(const Trace& trace, std::size_t output, const Rows& rows,
                   const sampling::SequenceSampling& sampling, DraftScores& scores);

  engine::Engine& target_;
  engine::Engine& draft_;
  sampling::SamplerOptions sampler_;
  std::unique_ptr<sampling::Chooser> of_target_, of_draft_;
  draft::RowFeatureReader features_;
  sampling::DraftAnswer drawn_;
  sampling::Distribution p_, q_;
};

}  // namespace outrider::data
