#pragma once

#include <cstdint>
#include <vector>

#include "runtime/draft/stop/stop_classifier.h"

namespace outrider::train {

/// Tokens and the probability that each is accepted.
struct StopExamples {
  std::vector<draft::StopClassifier::Inputs> inputs;
  std::vector<float> labels;  // 0 to 1

  std::size_t size() const { return inputs.size(); }
};

struct FitOptions {
  int epochs = 40;
  int batch = 128;
  double learning_rate = 0.003;  // at first; it falls to 0 by a cosine
  std::uint64_t seed = 1;        // of the first weights, and of the order
};

/// Trains DISCO's classifier by cross-entropy (Mamou et al. 2024, section 3), every example counting the
/// same, with Adam, on inputs of mean 0 and variance 1; the result reads them as they are.
/// @throws InputError without examples
draft::StopClassifier fit_classifier(const StopExamples& examples, float position_scale,
                                     const FitOptions& options);

/// Makes its probabilities those of other examples, by a factor and a term in its logit (Platt 1999).
void calibrate(draft::StopClassifier& classifier, const StopExamples& examples);

/// The mean cross-entropy, in nats.
double cross_entropy(const draft::StopClassifier& classifier, const StopExamples& examples);

}  // namespace outrider::train
