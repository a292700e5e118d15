#pragma once

#include <vector>

namespace outrider::engine {

/// Instead of a layer's number: the state after the final norm.
inline constexpr int kFinalNorm = -1;

/// An attention head. Layers count from 1, heads from 0.
struct Head {
  int layer;
  int head;

  friend bool operator==(const Head&, const Head&) = default;
};

/// The outputs that an observer requests of passes; requests of several observers are merged.
/// Layer l is the output of decoder layer l, counted from 1, before the final norm; 0 is the
/// embedding; kFinalNorm is the state after the final norm.
struct TapRequest {
  std::vector<int> layers = {};  // whose hidden states are wanted, of every row
  std::vector<Head> heads = {};  // whose attention rows are asked for after the pass
  bool best_keys = false;        // the position that each head of the model attends to most
  /// The rows' logits. Rows request logits separately (Row::wants_logits): the caller that makes a
  /// pass for an observer sets that.
  bool logits = false;

  bool empty() const { return layers.empty() && heads.empty() && !best_keys && !logits; }
  /// The part of a drafter's request that applies to a prompt's rows before the last: it drafts
  /// after none of these.
  TapRequest before_last_row() const { return {.layers = layers, .best_keys = best_keys}; }
  /// Adds what another observer requests.
  void merge(const TapRequest& other);

  friend bool operator==(const TapRequest&, const TapRequest&) = default;
};

}  // namespace outrider::engine
