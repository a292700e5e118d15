#pragma once

#include <string>
#include <vector>

#include "runtime/sampling/sampler_options.h"

namespace outrider::data {

/// The settings of a run's traces, besides the target.
struct Recipe {
  /// Includes the seed; the temperature is that of each sample.
  sampling::SamplerOptions sampler;
  /// Its biases as given, by which stores are compared.
  std::string logit_bias;
  int max_new = 256;
  int prefill_chunk = 64;         // rows of prompts in one pass
  bool only_first_turns = false;  // of each prompt
  int samples = 1;                // conversations for each prompt
  /// Sample s uses temperature number (s - 1) modulo their count.
  std::vector<double> temperatures = {0};
  /// Whether the target generates the answers, or scores those given with the prompts.
  bool given_answers = false;
  int top = 32;             // tokens whose probabilities are stored
  std::vector<int> layers;  // whose hidden states are stored, numbered as in engine::TapRequest

  double temperature_of(int sample) const {
    return temperatures[static_cast<std::size_t>(sample - 1) % temperatures.size()];
  }
};

}  // namespace outrider::data
