#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <variant>
#include <vector>

#include "runtime/draft/parallelspec/parallelspec_model.h"
#include "train/checkpoints/checkpoint.h"
#include "train/parallelspec/parallelspec_objective.h"

namespace outrider::train {

/// The shape of the drafter that a run trains, in the identity of its objective.
ParallelSpecShape shape_in(const nlohmann::json& objective, Flavour flavour);

/// An earlier ParallelSpec drafter of the same target, which a new run starts from in place of the target's
/// last layer: the best weights of a training run, or a drafter of an artifact file, as exactly as that
/// stores it. EAGLE can start from EAGLE-AR, whose layer learns from every token at a fifth of the cost of a group
/// with four masks, and the other way round; masks are then not taken over. A drafter for export starts from a run of one.
class ParallelSpecStart {
 public:
  /// @param path       a checkpoint, the work folder of a run, or an artifact file
  /// @param flavour    of the new run
  /// @param is_export  whether that trains a drafter for export
  /// @throws InputError for a drafter of another target, flavour or --export-shape, and for files that hold none
  ParallelSpecStart(const std::filesystem::path& path, const model::Model& target, Flavour flavour,
                    bool is_export);

  /// The earlier drafter's.
  const ParallelSpecShape& shape() const { return shape_; }
  /// Whether it is a run of training, which weights of its own shape alone can start from.
  bool is_run() const { return std::holds_alternative<std::vector<SavedParameter>>(weights_); }
  bool final_norm() const { return final_norm_; }
  const std::vector<Token>& head_tokens() const { return head_tokens_; }
  /// The hash of the drafter's weights.
  const std::string& hash() const { return hash_; }

  /// @param objective  of this shape, or of one with other masks, which it keeps as they are, or, from an artifact file,
  ///                   with more units in the feed-forward network
  void give_weights(ParallelSpecObjective& objective) const;

 private:
  void take_run(Checkpoint checkpoint);
  void take_artifact(const model::Model& target);

  std::filesystem::path path_;
  Flavour flavour_;  // of the new run
  bool is_export_;   // likewise
  ParallelSpecShape shape_;
  bool final_norm_ = true;
  std::vector<Token> head_tokens_;
  std::string hash_;
  std::variant<std::vector<SavedParameter>, draft::ParallelSpecModel> weights_;
};

}  // namespace outrider::train
