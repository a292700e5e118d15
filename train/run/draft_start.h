#pragma once

#include <filesystem>
#include <string>
#include <variant>
#include <vector>

#include "runtime/model/model.h"
#include "train/checkpoints/checkpoint.h"
#include "train/draft/draft_objective.h"

namespace outrider::train {

/// An earlier draft of the same target, which a new run starts from in place of the target's layers: the
/// best weights of a training run, or the /draft of an artifact file, as exactly as that stores it.
class DraftStart {
 public:
  /// @param path  a checkpoint, the work folder of a run, or an artifact file
  /// @throws InputError for a draft of another target, and for files that hold no draft
  DraftStart(const std::filesystem::path& path, const model::Model& target);

  /// The target's layers that it was made from, counted from 1.
  const std::vector<int>& layers() const { return layers_; }
  const std::vector<Token>& head_tokens() const { return head_tokens_; }
  /// The hash of the draft model's weights.
  const std::string& hash() const { return hash_; }

  /// @param objective  with these layers and head tokens
  void give_weights(DraftObjective& objective) const;

 private:
  void take_run(Checkpoint checkpoint);
  void take_artifact(const model::Model& target);

  std::filesystem::path path_;
  std::vector<int> layers_;
  std::vector<Token> head_tokens_;
  std::string hash_;
  std::variant<std::vector<SavedParameter>, model::Model> weights_;
};

}  // namespace outrider::train
