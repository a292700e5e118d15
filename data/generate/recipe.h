#pragma once

#include <string>
#include <vector>

#include "runtime/cli/decode_options.h"

namespace outrider::data {

/// What the traces of a run are made by.
struct Recipe {
  /// The target and its settings, as for `runtime decode` with --prompts; --turns and --samples too.
  DecodeOptions decode;
  /// Sample s has the temperature number (s - 1) modulo their count.
  std::vector<double> temperatures = {0};
  /// Whether answers are given with the prompts and only scored, or the target's own choices.
  bool given_answers = false;
  int top = 32;             // tokens whose probabilities are kept
  std::vector<int> layers;  // whose hidden states are kept, numbered as in engine::TapRequest

  double temperature_of(int sample) const {
    return temperatures[static_cast<std::size_t>(sample - 1) % temperatures.size()];
  }
};

}  // namespace outrider::data
