#pragma once

#include <optional>
#include <vector>

#include "runtime/draft/parallelspec/parallelspec_model.h"
#include "runtime/engine/tap_request.h"
#include "train/parallelspec/export_shape.h"

namespace outrider::train {

using Flavour = draft::ParallelSpecModel::Flavour;

/// What rows a parallel drafter reads and predicts; see draft::ParallelSpecModel.
struct ParallelSpecShape {
  Flavour flavour = Flavour::kEagle;
  bool token_inputs = true;  // of Medusa; EAGLE has both, Medusa's heads read a state
  int masks = 4;             // K, of Medusa's heads their number; 0 for EAGLE-AR
  /// Whether all masks are one, which only its position tells apart (P-EAGLE); an ablation.
  bool shared_mask = false;
  /// Units of the layer's feed-forward network; 0: as many as the target's have. Medusa's heads have none.
  int feed_forward = 0;
  /// Of EAGLE: the drafter is one for export, which learns tokens only, and whose masks are one.
  std::optional<ExportShape> exported = {};

  bool reads_pairs() const { return draft::ParallelSpecModel::reads_pairs(flavour); }
  bool reads_states() const { return flavour != Flavour::kMedusa || !token_inputs; }
  bool reads_tokens() const {
    return reads_pairs() || (flavour == Flavour::kMedusa && token_inputs);
  }
  /// Whether slots learn the target's next state too.
  bool learns_states() const { return reads_pairs() && !exported; }
  /// The layers whose states rows read, one after the other, where they read any.
  std::vector<int> state_layers() const {
    return exported ? exported->layers : std::vector{engine::kFinalNorm};
  }
  /// Different masks.
  int trained_masks() const { return shared_mask ? 1 : masks; }
  /// The token that the first real row belongs to: EAGLE has no state before the first token.
  int first_token() const { return reads_pairs() ? 1 : 0; }
  /// Rows of a group with an output: its masks, and its real row where that drafts a token.
  int slots() const { return masks + (reads_tokens() ? 1 : 0); }
  /// How many tokens the first of these is after the group's real row; the real row predicts the next.
  int first_slot() const { return reads_tokens() ? 0 : 1; }
};

}  // namespace outrider::train
