#pragma once

#include <ATen/ops/full.h>

#include <cmath>
#include <limits>

#include "train/trainer/objective.h"

namespace outrider::test {

/// A unigram model, with its gradient written out: logits = bias + scale * slope, of 300 tokens, where
/// slope[v] = v / 300. The scale must not decay.
/// @tparam Number  of the parameters: float, or double
template <class Number>
class ToyObjectiveOf : public train::Objective {
 public:
  static constexpr int kVocab = 300;

  ToyObjectiveOf() {
    for (const train::Parameter& parameter : {bias_, scale_})
      parameter.value.set_requires_grad(true);
  }

  std::vector<train::Parameter> parameters() override { return {bias_, scale_}; }

  train::StepLoss accumulate(std::span<const data::Trace> traces, double factor) override {
    ++calls;
    const std::vector<double> p = probabilities();
    train::StepLoss sum;
    Number* bias = bias_.value.mutable_grad().template mutable_data_ptr<Number>();
    Number* scale = scale_.value.mutable_grad().template mutable_data_ptr<Number>();
    for (const data::Trace& trace : traces) {
      for (const Token token : trace.output_tokens) {
        sum.loss -= std::log(p[static_cast<std::size_t>(token)]);
        ++sum.tokens;
        for (int v = 0; v < kVocab; ++v) {
          const double gradient = factor * (p[static_cast<std::size_t>(v)] - (v == token ? 1 : 0));
          bias[v] += static_cast<Number>(gradient);
          *scale += static_cast<Number>(gradient * slope(v));
        }
      }
    }
    if (calls >= broken_from) sum.loss = std::numeric_limits<double>::quiet_NaN();
    return sum;
  }

  /// The score is what `scores` has next, else the mean log-probability.
  train::Validation validate(std::span<const data::Trace> traces) override {
    const std::vector<double> p = probabilities();
    double sum = 0;
    double tokens = 0;
    for (const data::Trace& trace : traces) {
      for (const Token token : trace.output_tokens)
        sum += std::log(p[static_cast<std::size_t>(token)]);
      tokens += static_cast<double>(trace.output_tokens.size());
    }
    train::Validation validation{{{"log_prob", sum / tokens}}, sum / tokens};
    if (validations < scores.size()) validation.score = scores[validations++];
    return validation;
  }

  nlohmann::json identity() const override { return {{"model", "toy"}}; }

  int calls = 0;
  int broken_from = std::numeric_limits<int>::max();  // the first call whose loss is not a number
  std::vector<double> scores;
  std::size_t validations = 0;

 private:
  static double slope(int v) { return v / static_cast<double>(kVocab); }

  std::vector<double> probabilities() const {
    const Number* bias = bias_.value.template const_data_ptr<Number>();
    const Number scale = *scale_.value.template const_data_ptr<Number>();
    std::vector<double> p;
    double sum = 0;
    for (int v = 0; v < kVocab; ++v) {
      p.push_back(std::exp(bias[v] + scale * slope(v)));
      sum += p.back();
    }
    for (double& value : p) value /= sum;
    return p;
  }

  static constexpr at::ScalarType kType = c10::CppTypeToScalarType<Number>::value;
  train::Parameter bias_{"bias", at::full({kVocab}, 0.0, kType), true};
  train::Parameter scale_{"scale", at::full({1}, 1.0, kType), false};
};

using ToyObjective = ToyObjectiveOf<float>;

}  // namespace outrider::test
