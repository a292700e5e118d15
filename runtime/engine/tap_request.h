#pragma once

#include <vector>

namespace outrider::engine {

/// In place of a layer's number: the state after the final norm.
inline constexpr int kFinalNorm = -1;

/// An attention head. Layers count from 1, heads from 0.
struct Head {
  int layer;
  int head;

  friend bool operator==(const Head&, const Head&) = default;
};

/// What an observer wants of passes; requests of several observers merge into one.
/// Layer l is the output of decoder layer l, counted from 1, before the final norm; 0 is the
/// embedding; kFinalNorm is the state after the final norm.
struct TapRequest {
  std::vector<int> layers = {};  // whose hidden states, of every row
  std::vector<Head> heads = {};  // whose attention, of rows that are asked for it afterwards
  bool best_keys = false;        // the position that each head of the model attends to most
  /// The rows' logits. Rows want them or not by themselves (Row::wants_logits): who makes a pass for an
  /// observer sees to it.
  bool logits = false;

  bool empty() const { return layers.empty() && heads.empty() && !best_keys && !logits; }
  /// What a drafter that wants all this is shown of a prompt's rows before the last: it drafts after none
  /// of these.
  TapRequest before_last_row() const { return {.layers = layers, .best_keys = best_keys}; }
  /// Adds what another observer wants and this request lacks.
  void merge(const TapRequest& other);

  friend bool operator==(const TapRequest&, const TapRequest&) = default;
};

}  // namespace outrider::engine
