#pragma once

#include <cstdint>
#include <vector>

#include "runtime/model/model.h"

namespace outrider::draft {

/// ParallelSpec's drafter (Xiao et al. 2024): one Transformer layer of the target's shape and K trained
/// masks, which drafts all tokens of a round in one pass.
///
/// Let x_0 … x_n be the committed tokens, of which x_n, the root, was not forwarded by the target yet, and
/// f_j the target's state at x_j after its final norm (engine::kFinalNorm) as its engine computes it: known
/// for j < n. H is the width. A draft pass has these rows, in this order, all on one path:
///
///   flavour         real rows (slot j)                     masks i = 1 … K            drafts
///   EAGLE           j = 1 … n:   [f_{j-1} ; E(x_j)]        [feature_i ; embedding_i]  K + 1
///   Medusa, tokens  j = 0 … n:   E(x_j)                    embedding_i                K + 1
///   Medusa, states  j = 0 … n-1: f_j                       embedding_i                K
///
/// Real rows that earlier passes forwarded are in the layer's KV cache and are not forwarded again; masks
/// and drafts never enter it. So a real row attends to the real rows up to itself, and mask i to all real
/// rows, to masks 1 … i-1 and to itself.
///
/// Positions go on by one from row to row, masks included: if j is the last real slot, mask i is at j + i.
/// Rotary positions count by their differences only, so it is the same whether the first row is at 0, where
/// the engine has it, or at 1, the place of the first token that EAGLE reads.
///
/// The output of a row at position p, of a mask or of the last real row, is the logits of x_{p+1}; of
/// EAGLE it is also the drafter's f_p. With Medusa over states the last real row is at n-1 and repeats the
/// root: it drafts nothing and its logits are not computed.
///
/// A row's output: EAGLE multiplies its pair by fc, which gives the residual stream's first state, the
/// others begin with the row itself (f_j keeps the target's final norm: nothing is divided out); the layer
/// adds attention and feed-forward network, each after its own norm; then the final norm where the model
/// has one; then the head. An EAGLE drafter without a final norm is read by the head as the target's
/// features are; with one, f_p is the state after it.
struct ParallelModel {
  enum class Flavour : std::uint8_t { kEagle, kMedusa };

  Flavour flavour = Flavour::kEagle;
  /// Medusa: rows are embeddings of tokens (equation 3), else the target's states. EAGLE has both: true.
  bool token_inputs = true;
  /// The fastest number of tokens in a round, as training or calibration found it; 0: not known.
  int best_length = 0;

  /// One layer of a Llama, H, vocabulary, rotation and context of the target's; the embedding is the
  /// target's own. `state_projection` is fc [H, 2H] with the inputs' order above, for EAGLE only, and then
  /// config.state_inputs is 2H, else 0. The head
  /// has rows of the target's head, those of `head_tokens`. `final_norm` may be left out (no rows). Matrices
  /// of the layer and fc are of one type, the head of another or the same: F32, Q8_0 (what training
  /// stores unless asked otherwise) or Q4_1; norms are F32.
  model::Model layer;

  std::vector<float> mask_embeddings;  // [K, H]
  std::vector<float> mask_features;    // [K, H] for EAGLE only, else empty

  /// K.
  int masks() const { return static_cast<int>(mask_embeddings.size()) / layer.config.width; }
  /// Whether rows need the target's states.
  bool reads_states() const { return flavour == Flavour::kEagle || !token_inputs; }
  /// The most tokens of a round.
  int most_drafts() const { return masks() + (token_inputs ? 1 : 0); }
};

/// "eagle", "medusa".
constexpr const char* name_of(ParallelModel::Flavour flavour) {
  return flavour == ParallelModel::Flavour::kEagle ? "eagle" : "medusa";
}

}  // namespace outrider::draft
