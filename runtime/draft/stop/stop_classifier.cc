#include "runtime/draft/stop/stop_classifier.h"

#include <algorithm>

#include "runtime/base/math.h"

namespace outrider::draft {

double logistic(double x) { return 1 / (1 + math::exp(-x)); }

StopClassifier::Inputs StopClassifier::inputs_of(const RowFeatures& row, std::int64_t index,
                                                 float position_scale) {
  Inputs inputs;
  std::copy(row.top.begin(), row.top.end(), inputs.begin());
  inputs[kInputs - 2] = row.entropy;
  inputs[kInputs - 1] = static_cast<float>(index) / position_scale;
  return inputs;
}

double StopClassifier::logit(const Inputs& inputs) const {
  float sum = output_bias;
  for (std::size_t h = 0; h < kHidden; ++h) {
    float z = hidden_bias[h];
    for (std::size_t i = 0; i < kInputs; ++i) z += hidden[h * kInputs + i] * inputs[i];
    sum += output[h] * std::max(z, 0.0F);
  }
  return static_cast<double>(sum);
}

double StopClassifier::probability(const RowFeatures& row, std::int64_t index) const {
  return logistic(logit(inputs_of(row, index, position_scale)));
}

}  // namespace outrider::draft
