#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "runtime/engine/softmax.h"

namespace outrider::engine {

/// What a pass hands out beside logits; nothing is kept unless asked. Layer l is the output of
/// decoder layer l, counted from 1, before the final norm; 0 is the embedding; kFinalNorm is the
/// state after the final norm. Buffers are used again by the next pass with the same taps.
struct Taps {
  static constexpr int kFinalNorm = -1;
  struct Head {
    int layer;  // from 1
    int head;
  };

  // Asked for:
  std::vector<int> layers;
  std::vector<Head> heads;
  bool best_keys = false;

  bool asks_nothing() const { return layers.empty() && heads.empty() && !best_keys; }

  // Handed out:
  std::vector<std::vector<float>> states;  // [layer asked][rows, width]
  // [rows, layers, heads]: the position each head attends to most; ties: the lowest
  std::vector<std::int32_t> best_key;

  // Of the heads asked, all that their attention follows from, given the keys. A larger pass may have
  // left more behind these rows.
  std::vector<float> queries;    // [rows, heads asked, head width], as keys are scored by them
  std::vector<Softmax> softmax;  // [rows, heads asked]
  std::vector<int> positions;    // [rows]
  /// The attention of a row, computed now and at these positions only: [heads asked, positions]; 0
  /// before the layer's window. To be called while the pass and its engine are there and before the
  /// next pass, for rows that have been committed.
  /// @param positions  ascending, up to the row's own
  std::function<void(int row, std::span<const int> positions, std::vector<float>& attention)>
      attention;
};

}  // namespace outrider::engine
