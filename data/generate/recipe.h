#pragma once

#include <string>
#include <vector>

#include "runtime/sampling/sampler_options.h"

namespace outrider::data {

/// What the traces of a run are made by, beside the target.
struct Recipe {
  /// With the seed; the temperature is that of each sample.
  sampling::SamplerOptions sampler;
  /// Its biases as they were written, by which stores are compared.
  std::string logit_bias;
  int max_new = 256;
  int prefill_chunk = 64;         // rows of prompts in one pass
  bool only_first_turns = false;  // of each prompt
  int samples = 1;                // conversations for each prompt
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
