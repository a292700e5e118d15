#include "runtime/draft/stop/stop_classifier.h"

#include <algorithm>

#include "runtime/base/math.h"
#include "runtime/draft/stop/text_match.h"

namespace outrider::draft {

double logistic(double x) { return 1 / (1 + math::exp(-x)); }

StopClassifier::Inputs StopClassifier::inputs_of(const RowFeatures& row, const DrawnToken& drawn,
                                                 float position_scale) {
  constexpr float kMost =
      20;  // of a logarithm; the only token that filters leave has an infinite lead
  Inputs inputs;
  std::copy(row.top.begin(), row.top.end(), inputs.begin());
  inputs[kPaperInputs - 2] = row.entropy;
  inputs[kPaperInputs - 1] = static_cast<float>(drawn.index) / position_scale;
  inputs[kPaperInputs] = std::max(drawn.log_q, -kMost);
  inputs[kPaperInputs + 1] = std::min(drawn.lead, kMost);
  inputs[kDrawnInputs] = static_cast<float>((drawn.match > 0) - (drawn.match < 0));
  inputs[kDrawnInputs + 1] = static_cast<float>(drawn.match) / kLongestTextMatch;
  return inputs;
}

bool StopClassifier::reads(std::size_t begin, std::size_t end) const {
  for (std::size_t h = 0; h < kHidden; ++h)
    for (std::size_t i = begin; i < end; ++i)
      if (hidden[h * kInputs + i] != 0) return true;
  return false;
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

double StopClassifier::probability(const RowFeatures& row, const DrawnToken& drawn) const {
  return logistic(logit(inputs_of(row, drawn, position_scale)));
}

}  // namespace outrider::draft
