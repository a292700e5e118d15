#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/model/model.h"

namespace outrider::draft {

/// ParallelSpec's drafter (Xiao et al. 2024): one Transformer layer of the target's shape and K trained
/// masks, which drafts all tokens of a round in one pass; or one of the two that it is compared with.
///
/// Let x_0 … x_n be the committed tokens, of which x_n, the root, was not forwarded by the target yet, and
/// f_j the target's state at x_j after its final norm (engine::kFinalNorm) as its engine computes it: known
/// for j < n. H is the width. A draft pass has these rows, in this order, all on one path:
///
///   flavour         real rows (slot j)                     masks i = 1 … K            drafts
///   EAGLE           j = 1 … n:   [f_{j-1} ; E(x_j)]        [feature_i ; embedding_i]  K + 1
///   Medusa, tokens  j = 0 … n:   E(x_j)                    embedding_i                K + 1
///   Medusa, states  j = 0 … n-1: f_j                       embedding_i                K
///   EAGLE-AR        as EAGLE                               none                       one a pass
///   Medusa's heads  j = n-1:     f_j                       none                       K
///
/// EAGLE-AR is the drafter without masks that the paper compares EAGLE's flavour with (Li et al. 2024): after
/// the pass over the real rows, each pass has one row, of the token drafted last and the drafter's own state in
/// place of the target's, [f_p ; E(x_{p+1})], on the path of the rows before it. These rows are not kept
/// beyond the round.
///
/// Medusa's heads (Cai et al. 2024) are what the paper's Medusa flavour replaces. They have no layer: head i reads the
/// last state that is known and is one residual block, f_{n-1} + SiLU(W_i f_{n-1}), after which the target's head
/// gives the logits of x_{n+i}. The target's own head on that state gave the root.
///
/// Real rows that earlier passes forwarded are in the layer's KV cache and are not forwarded again; masks
/// and drafts are never committed to it. So a real row attends to the real rows up to itself, and mask i to all real
/// rows, to masks 1 … i-1 and to itself.
///
/// Positions go on by one from row to row, masks included: if j is the last real slot, mask i is at j + i.
/// Rotary positions count by their differences only, so it is the same whether the first row is at 0, where
/// the engine has it, or at 1, the position of the first token that EAGLE reads.
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
struct ParallelSpecModel {
  enum class Flavour : std::uint8_t { kEagle, kMedusa, kEagleAr, kMedusaHeads };
  /// The most tokens of a round that are drafted one by one.
  static constexpr int kMostSteps = 16;

  Flavour flavour = Flavour::kEagle;
  /// Medusa: rows are embeddings of tokens (equation 3), else the target's states. EAGLE and EAGLE-AR have
  /// both: true; Medusa's heads read a state: false.
  bool token_inputs = true;
  /// The fastest number of tokens in a round, if the file names one; 0: not known.
  int best_length = 0;

  /// One layer of a Llama, H, vocabulary, rotation and context of the target's; the embedding is the
  /// target's own. `state_projection` is fc [H, 2H] with the inputs' order above, where rows are pairs, and then
  /// config.state_inputs is 2H, else 0. The head
  /// has rows of the target's head, those of `head_tokens`. `final_norm` may be left out (no rows). Matrices
  /// of the layer and fc are of one type, the head of another or the same: F32, Q8_0 (what training
  /// stores unless asked otherwise) or Q4_1; a head that is not stored has the target's type. Norms are F32. Of Medusa's heads it is the head alone (head_config).
  model::Model layer;

  std::vector<float> mask_embeddings;  // [K, H]; empty without masks
  std::vector<float> mask_features;    // [K, H] for EAGLE only, else empty

  /// The blocks of Medusa's heads, else empty: W_1 … W_K one below the other, of the types of a
  /// layer's matrices. They are the head [K H, H] of a model without layers, whose logits for a
  /// state f are all W_i f.
  model::Model residual;

  /// K: masks, or Medusa's heads.
  int masks() const {
    const auto rows = has_heads() ? static_cast<int>(residual.head.rows)
                                  : static_cast<int>(mask_embeddings.size());
    return rows / layer.config.width;
  }
  /// Whether it is Medusa's heads.
  bool has_heads() const { return flavour == Flavour::kMedusaHeads; }
  /// Whether rows need the target's states.
  bool reads_states() const { return reads_pairs(flavour) || !token_inputs; }
  /// Whether rows are a state and a token.
  static constexpr bool reads_pairs(Flavour flavour) {
    return flavour == Flavour::kEagle || flavour == Flavour::kEagleAr;
  }
  /// Whether each token is drafted by a pass of its own.
  bool drafts_one_by_one() const { return flavour == Flavour::kEagleAr; }
  /// The most tokens of a round.
  int most_drafts() const {
    return drafts_one_by_one() ? kMostSteps : masks() + (token_inputs ? 1 : 0);
  }
  /// Rows after the text's, masks or drafted tokens, for a round of so many tokens.
  int more_rows(int drafts) const { return std::max(0, token_inputs ? drafts - 1 : drafts); }
};

/// All of them.
inline constexpr ParallelSpecModel::Flavour kFlavours[] = {
    ParallelSpecModel::Flavour::kEagle, ParallelSpecModel::Flavour::kMedusa,
    ParallelSpecModel::Flavour::kEagleAr, ParallelSpecModel::Flavour::kMedusaHeads};

/// "eagle", "medusa", "eagle-ar", "medusa-heads".
constexpr const char* name_of(ParallelSpecModel::Flavour flavour) {
  switch (flavour) {
    case ParallelSpecModel::Flavour::kEagle:
      return "eagle";
    case ParallelSpecModel::Flavour::kMedusa:
      return "medusa";
    case ParallelSpecModel::Flavour::kEagleAr:
      return "eagle-ar";
    case ParallelSpecModel::Flavour::kMedusaHeads:
      break;
  }
  return "medusa-heads";
}

inline std::vector<std::string> flavour_names() {
  std::vector<std::string> names;
  for (const ParallelSpecModel::Flavour flavour : kFlavours) names.emplace_back(name_of(flavour));
  return names;
}

/// The flavour of a name; nothing for another name.
constexpr std::optional<ParallelSpecModel::Flavour> flavour_named(std::string_view name) {
  for (const ParallelSpecModel::Flavour flavour : kFlavours)
    if (name == name_of(flavour)) return flavour;
  return {};
}

/// The method of a flavour: "parallelspec-eagle", "parallelspec-medusa", and "eagle-ar" and
/// "medusa-heads", which the paper compares these with.
inline std::string method_of(ParallelSpecModel::Flavour flavour) {
  const bool is_parallelspec = flavour == ParallelSpecModel::Flavour::kEagle ||
                               flavour == ParallelSpecModel::Flavour::kMedusa;
  return (is_parallelspec ? "parallelspec-" : "") + std::string(name_of(flavour));
}

}  // namespace outrider::draft
