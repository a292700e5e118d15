#pragma once

#include <memory>
#include <random>

#include "runtime/draft/stop/stop_classifier.h"

namespace outrider::test {

/// A classifier of random weights.
inline draft::StopClassifier some_classifier(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<float> normal(0, 1);
  draft::StopClassifier classifier;
  classifier.position_scale = 50;
  for (float& weight : classifier.hidden) weight = normal(random);
  for (float& weight : classifier.hidden_bias) weight = normal(random);
  for (float& weight : classifier.output) weight = normal(random);
  classifier.output_bias = normal(random);
  return classifier;
}

/// One whose C_i goes up and down with i, from 0.27 to 0.73 and back every four tokens.
inline std::shared_ptr<const draft::StopClassifier> alternating_classifier() {
  auto classifier = std::make_shared<draft::StopClassifier>();
  for (std::size_t h = 0; h < draft::StopClassifier::kHidden; ++h) {
    classifier
        ->hidden[h * draft::StopClassifier::kInputs + draft::StopClassifier::kPaperInputs - 1] = 1;
    classifier->hidden_bias[h] = -2 * static_cast<float>(h);
    classifier->output[h] = h == 0 ? 1 : h % 2 == 1 ? -2.0F : 2.0F;
  }
  classifier->output_bias = -1;
  return classifier;
}

}  // namespace outrider::test
