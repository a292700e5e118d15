#pragma once

#include <cstdint>
#include <vector>

namespace outrider::engine {

/// What a pass hands out beside logits; nothing is kept unless asked. Layer l is the output of
/// decoder layer l, counted from 1, before the final norm; 0 is the embedding; kFinalNorm is the
/// state after the final norm.
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
  // [head asked][row]: attention over the positions of the row's path, [position + 1]; 0 before the
  // layer's window
  std::vector<std::vector<std::vector<float>>> attention;
  // [rows, layers, heads]: the position each head attends to most; ties: the lowest
  std::vector<std::int32_t> best_key;
};

}  // namespace outrider::engine
