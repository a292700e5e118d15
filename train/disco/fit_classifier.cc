#include "train/disco/fit_classifier.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <random>
#include <utility>

#include "runtime/base/error.h"

namespace outrider::train {
namespace {

using draft::StopClassifier;
constexpr std::size_t kInputs = StopClassifier::kInputs;
constexpr std::size_t kHidden = StopClassifier::kHidden;

// The classifier's parameters in one list: [hidden, inputs], [hidden], [hidden], one.
constexpr std::size_t kHiddenBias = kHidden * kInputs;
constexpr std::size_t kOutput = kHiddenBias + kHidden;
constexpr std::size_t kOutputBias = kOutput + kHidden;
constexpr std::size_t kParameters = kOutputBias + 1;
static_assert(FitState::kNumbers == 3 * kParameters);
using Parameters = std::vector<double>;  // [kParameters]

/// Mean and deviation of each input; the deviation of one that never changes is infinite, so that it counts for
/// nothing.
struct Scaling {
  std::array<double, kInputs> mean = {}, deviation = {};
};

Scaling scaling_of(const StopExamples& examples) {
  Scaling scaling;
  const auto count = static_cast<double>(examples.size());
  for (const auto& inputs : examples.inputs)
    for (std::size_t i = 0; i < kInputs; ++i)
      scaling.mean[i] += static_cast<double>(inputs[i]) / count;
  for (const auto& inputs : examples.inputs)
    for (std::size_t i = 0; i < kInputs; ++i) {
      const double off = static_cast<double>(inputs[i]) - scaling.mean[i];
      scaling.deviation[i] += off * off / count;
    }
  for (double& one : scaling.deviation)
    one = one > 1e-12 ? std::sqrt(one) : std::numeric_limits<double>::infinity();
  return scaling;
}

/// Adds the gradient of one example's cross-entropy. @param x  its scaled inputs
void add_gradient(const Parameters& weights, const std::array<double, kInputs>& x, double label,
                  Parameters& gradient) {
  std::array<double, kHidden> hidden;
  double logit = weights[kOutputBias];
  for (std::size_t h = 0; h < kHidden; ++h) {
    double z = weights[kHiddenBias + h];
    for (std::size_t i = 0; i < kInputs; ++i) z += weights[h * kInputs + i] * x[i];
    hidden[h] = std::max(z, 0.0);
    logit += weights[kOutput + h] * hidden[h];
  }
  const double off = draft::logistic(logit) - label;
  gradient[kOutputBias] += off;
  for (std::size_t h = 0; h < kHidden; ++h) {
    gradient[kOutput + h] += off * hidden[h];
    if (hidden[h] <= 0) continue;
    const double through = off * weights[kOutput + h];
    gradient[kHiddenBias + h] += through;
    for (std::size_t i = 0; i < kInputs; ++i) gradient[h * kInputs + i] += through * x[i];
  }
}

/// Kingma and Ba 2015, with their constants.
class Adam {
 public:
  Adam() = default;
  /// After so many steps.
  Adam(int steps, Parameters mean, Parameters square)
      : mean_(std::move(mean)), square_(std::move(square)), steps_(steps) {}

  const Parameters& mean() const { return mean_; }
  const Parameters& square() const { return square_; }

  void step(Parameters& weights, const Parameters& gradient, double rate) {
    constexpr double kBeta1 = 0.9, kBeta2 = 0.999, kEpsilon = 1e-8;
    ++steps_;
    const double first = 1 - std::pow(kBeta1, steps_), second = 1 - std::pow(kBeta2, steps_);
    for (std::size_t i = 0; i < kParameters; ++i) {
      mean_[i] = kBeta1 * mean_[i] + (1 - kBeta1) * gradient[i];
      square_[i] = kBeta2 * square_[i] + (1 - kBeta2) * gradient[i] * gradient[i];
      weights[i] -= rate * (mean_[i] / first) / (std::sqrt(square_[i] / second) + kEpsilon);
    }
  }

 private:
  Parameters mean_ = Parameters(kParameters), square_ = Parameters(kParameters);
  int steps_ = 0;
};

FitState state_of(int epochs, const Parameters& weights, const Adam& adam) {
  FitState state = {epochs, weights};
  for (const Parameters* kept : {&adam.mean(), &adam.square()})
    state.numbers.insert(state.numbers.end(), kept->begin(), kept->end());
  return state;
}

/// The part-th of a state's three lists.
Parameters part_of(const FitState& state, std::size_t part) {
  const auto begin = state.numbers.begin() + static_cast<std::ptrdiff_t>(part * kParameters);
  return {begin, begin + static_cast<std::ptrdiff_t>(kParameters)};
}

Parameters first_weights(std::mt19937_64& random) {
  Parameters weights(kParameters);
  const auto fill = [&](std::size_t begin, std::size_t end, double deviation) {
    std::normal_distribution<double> normal(0, deviation);
    for (std::size_t i = begin; i < end; ++i) weights[i] = normal(random);
  };
  fill(0, kHiddenBias, std::sqrt(2.0 / kInputs));
  fill(kOutput, kOutputBias, std::sqrt(1.0 / kHidden));
  return weights;
}

/// The network that reads inputs as they are.
StopClassifier unscaled(const Parameters& weights, const Scaling& scaling, float position_scale) {
  StopClassifier classifier;
  classifier.position_scale = position_scale;
  for (std::size_t h = 0; h < kHidden; ++h) {
    double bias = weights[kHiddenBias + h];
    for (std::size_t i = 0; i < kInputs; ++i) {
      const double weight = weights[h * kInputs + i] / scaling.deviation[i];
      classifier.hidden[h * kInputs + i] = static_cast<float>(weight);
      bias -= weight * scaling.mean[i];
    }
    classifier.hidden_bias[h] = static_cast<float>(bias);
    classifier.output[h] = static_cast<float>(weights[kOutput + h]);
  }
  classifier.output_bias = static_cast<float>(weights[kOutputBias]);
  return classifier;
}

}  // namespace

StopClassifier fit_classifier(const StopExamples& examples, float position_scale,
                              const FitOptions& options, const FitResumed& resumed) {
  if (examples.size() == 0)
    throw InputError("--data: expected tokens to train on, found none outside loops");
  const Scaling scaling = scaling_of(examples);
  std::mt19937_64 random(options.seed);
  Parameters weights = first_weights(random), gradient(kParameters);
  Adam adam;
  std::vector<std::size_t> order(examples.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto batch = static_cast<std::size_t>(options.batch);
  const FitState& from = resumed.from;
  if (!from.numbers.empty()) {
    const std::size_t steps = (examples.size() + batch - 1) / batch;
    weights = part_of(from, 0);
    adam = Adam(from.epochs * static_cast<int>(steps), part_of(from, 1), part_of(from, 2));
  }
  for (int epoch = 0; epoch < options.epochs; ++epoch) {
    for (std::size_t i = order.size() - 1; i > 0; --i)
      std::swap(order[i], order[random() % (i + 1)]);
    if (epoch < from.epochs) continue;
    const double rate =
        options.learning_rate * (1 + std::cos(std::numbers::pi * epoch / options.epochs)) / 2;
    for (std::size_t begin = 0; begin < order.size(); begin += batch) {
      const std::size_t end = std::min(begin + batch, order.size());
      std::fill(gradient.begin(), gradient.end(), 0.0);
      for (std::size_t example = begin; example < end; ++example) {
        const auto& inputs = examples.inputs[order[example]];
        std::array<double, kInputs> x;
        for (std::size_t i = 0; i < kInputs; ++i)
          x[i] = (static_cast<double>(inputs[i]) - scaling.mean[i]) / scaling.deviation[i];
        add_gradient(weights, x, static_cast<double>(examples.labels[order[example]]), gradient);
      }
      for (double& one : gradient) one /= static_cast<double>(end - begin);
      adam.step(weights, gradient, rate);
    }
    resumed.on_epoch(state_of(epoch + 1, weights, adam));
  }
  return unscaled(weights, scaling, position_scale);
}

void calibrate(StopClassifier& classifier, const StopExamples& examples) {
  constexpr int kSteps = 20;
  constexpr double kLeast = 1e-9;  // of the determinant: of examples that are all alike
  double factor = 0,
         term = 0;  // from where Newton's method converges, as all slopes are the largest
  for (int step = 0; step < kSteps; ++step) {
    double of_factor = 0, of_term = 0, ff = 0, ft = 0, tt = 0;
    for (std::size_t i = 0; i < examples.size(); ++i) {
      const double x = classifier.logit(examples.inputs[i]);
      const double p = draft::logistic(factor * x + term);
      const double off = p - static_cast<double>(examples.labels[i]), slope = p * (1 - p);
      of_factor += off * x;
      of_term += off;
      ff += slope * x * x;
      ft += slope * x;
      tt += slope;
    }
    const double determinant = ff * tt - ft * ft;
    if (!(determinant > kLeast)) break;
    factor -= (of_factor * tt - of_term * ft) / determinant;
    term -= (of_term * ff - of_factor * ft) / determinant;
  }
  if (!std::isfinite(factor) || !std::isfinite(term) || factor <= 0) return;
  for (float& weight : classifier.output) weight *= static_cast<float>(factor);
  classifier.output_bias =
      static_cast<float>(factor * static_cast<double>(classifier.output_bias) + term);
}

double cross_entropy(const StopClassifier& classifier, const StopExamples& examples) {
  double sum = 0;
  for (std::size_t i = 0; i < examples.size(); ++i) {
    const double x = classifier.logit(examples.inputs[i]);
    // -y log C - (1 - y) log(1 - C), where log C = -log(1 + e^-x).
    const double log_one_less = std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x)));
    sum += log_one_less - static_cast<double>(examples.labels[i]) * x;
  }
  return examples.size() == 0 ? 0 : sum / static_cast<double>(examples.size());
}

}  // namespace outrider::train
