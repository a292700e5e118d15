#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
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

/// Where training stands after some passes over the examples.
struct FitState {
  /// The classifier's parameters, and what Adam keeps of them.
  static constexpr std::size_t kNumbers =
      3 * (draft::StopClassifier::kHidden * (draft::StopClassifier::kInputs + 2) + 1);

  int epochs = 0;                    // done
  std::vector<double> numbers = {};  // [kNumbers]; empty: training has not begun
};

/// Training that goes on where an earlier run ended, with the same examples and options, and then gives the same bits.
struct FitResumed {
  FitState from = {};
  /// Called after every pass over the examples; it may throw, to end training there.
  std::function<void(const FitState&)> on_epoch = [](const FitState&) {};
};

/// Trains DISCO's classifier by cross-entropy (Mamou et al. 2024, section 3), every example counting the
/// same, with Adam, on inputs of mean 0 and variance 1; the result reads them as they are.
/// @throws InputError without examples
draft::StopClassifier fit_classifier(const StopExamples& examples, float position_scale,
                                     const FitOptions& options, const FitResumed& resumed = {});

/// Makes its probabilities those of other examples, by a factor and a term in its logit (Platt 1999).
void calibrate(draft::StopClassifier& classifier, const StopExamples& examples);

/// The mean cross-entropy, in nats.
double cross_entropy(const draft::StopClassifier& classifier, const StopExamples& examples);

}  // namespace outrider::train
