#include "calibrate/pld_plus/state_choices.h"

namespace outrider::calibrate {

const std::vector<double>& logit_weights() {
  static const std::vector<double> weights = {0, 0.005, 0.01, 0.015, 0.02, 0.03};
  return weights;
}

std::vector<StateChoice> means_and_weights(int layer) {
  std::vector<StateChoice> choices = means_of_layer(layer, kMostAveraged);
  const std::vector<StateChoice> weights = weights_of_layer(layer, logit_weights());
  choices.insert(choices.end(), weights.begin(), weights.end());
  return choices;
}

}  // namespace outrider::calibrate
