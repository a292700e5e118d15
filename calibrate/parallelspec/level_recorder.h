#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "calibrate/parallelspec/recorded_levels.h"
#include "calibrate/replay/observations.h"
#include "calibrate/trials/stretches.h"
#include "runtime/draft/drafter.h"
#include "runtime/draft/parallelspec/medusa_heads_passes.h"
#include "runtime/draft/parallelspec/parallelspec_passes.h"
#include "runtime/sampling/chooser.h"

namespace outrider::calibrate {

/// Records what a parallel drafter would draft after the texts of answers, without decoding: at every position
/// what draft::ParallelSpecDrafter or MedusaHeadsDrafter ranks for each depth there, with the noise of the answer's decoding.
class LevelRecorder : private draft::Drafter {
 public:
  /// @param engine    of `model.layer`
  /// @param residual  of `model.residual`, for Medusa's heads; else null
  /// @param children   of a node at most; of a drafter that drafts token by token always one
  /// @param pair_weights  as in draft::ParallelSpecDrafterOptions
  LevelRecorder(std::shared_ptr<const draft::ParallelSpecModel> model,
                const std::shared_ptr<engine::Engine>& engine,
                const std::shared_ptr<engine::Engine>& residual, int depths, int children,
                draft::PairWeights pair_weights = {});

  int children() const { return children_; }
  int depths() const { return depths_; }
  /// The last position after which it can be recorded: a layer has a context, and heads read one state.
  std::size_t last_position() const;
  /// @param stretch       positions of tokens of an answer that follow its first one; the answer must outlive the
  ///                      record
  /// @param observations  of the answer's target
  RecordedLevels record(const Stretch& stretch, Observations& observations);
  /// A record of a stretch without levels, for those of an earlier run.
  RecordedLevels empty_record(const Stretch& stretch) const {
    return {stretch.answer, stretch.first, depths_, {}, pair_weights_};
  }

 private:
  std::string name() const override { return draft::method_of(model_->flavour); }
  draft::DrafterTraits traits() const override;
  void observe(const engine::Pass& pass, const draft::ObservedRows& rows) override;
  void fill(const draft::DraftContext& /*context*/, draft::TokenTree& /*tree*/) override {}
  void record_one(const draft::DraftContext& context, std::vector<draft::RankedDepth>& levels);
  /// Reads a text, whose depths then have logits.
  void read(std::span<const Token> text);
  engine::LogitsRow logits(int depth, const std::vector<draft::RankedDepth>& levels);

  std::shared_ptr<const draft::ParallelSpecModel> model_;
  int depths_;
  int children_;
  draft::PairWeights pair_weights_;
  std::optional<draft::ParallelSpecPasses> passes_;  // of a layer
  std::optional<draft::MedusaHeadsPasses> heads_;    // of Medusa's heads
  std::unique_ptr<sampling::Chooser> chooser_;
  sampling::DraftAnswer ranked_;
  std::vector<float> states_;  // [rows observed since, width]
};

}  // namespace outrider::calibrate
