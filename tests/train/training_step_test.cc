#include <ATen/ops/zeros_like.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <span>
#include <utility>
#include <vector>

#include "tests/data/random_store.h"
#include "tests/train/small_target.h"
#include "tests/train/toy_objective.h"
#include "train/draft/draft_objective.h"
#include "train/trainer/trainer.h"

namespace outrider::train {
namespace {

using Numbers = std::vector<double>;

/// A run of four steps, two in the warm-up, with a weight decay and an epsilon that are large enough to matter.
TrainingOptions four_steps(double clip) {
  return {.batch = 3,
          .accumulate = 2,
          .schedule = {.peak = 0.02, .floor = 0.1, .warm_up = 2, .steps = 4},
          .adamw = {.beta1 = 0.8, .beta2 = 0.9, .epsilon = 0.01, .decay = 0.3},
          .clip = clip};
}

/// The rates of these steps: the warm-up's two, the cosine's middle, its floor.
constexpr double kRates[] = {0.01, 0.02, 0.02 * (0.1 + 0.9 / 2), 0.002};

/// Of a batch, at some values of the parameters: the gradients of the summed loss, and its tokens.
struct BatchGradients {
  std::vector<Numbers> gradients;  // [parameters]
  StepLoss loss;
};
using GradientsAt =
    std::function<BatchGradients(std::span<const data::Trace>, const std::vector<Numbers>&)>;

Numbers numbers_of(const at::Tensor& tensor) {
  const double* values = tensor.const_data_ptr<double>();
  return {values, values + tensor.numel()};
}

/// The loop as it is described, number by number.
class PlainTraining {
 public:
  PlainTraining(const std::vector<Parameter>& parameters, const TrainingOptions& options)
      : options_(options) {
    for (const Parameter& parameter : parameters) {
      values_.push_back(numbers_of(parameter.value));
      first_.emplace_back(values_.back().size());
      second_.emplace_back(values_.back().size());
      decays_.push_back(parameter.decay);
    }
  }

  void step(TraceMix& data, const GradientsAt& gradients_at) {
    std::vector<Numbers> gradients;
    for (const Numbers& values : values_) gradients.emplace_back(values.size());
    StepLoss sum;
    for (int i = 0; i < options_.accumulate; ++i) {
      const BatchGradients batch = gradients_at(data.next(options_.batch), values_);
      for (std::size_t p = 0; p < gradients.size(); ++p)
        for (std::size_t j = 0; j < gradients[p].size(); ++j)
          gradients[p][j] += batch.gradients[p][j];
      sum.loss += batch.loss.loss;
      sum.tokens += batch.loss.tokens;
    }
    const auto tokens = static_cast<double>(sum.tokens);
    double squares = 0;
    for (Numbers& of : gradients)
      for (double& g : of) {
        g /= tokens;
        squares += g * g;
      }
    losses.push_back(sum.loss / tokens);
    norms.push_back(std::sqrt(squares));
    const double rate = kRates[steps_++];
    for (std::size_t p = 0; p < gradients.size(); ++p)
      for (std::size_t j = 0; j < gradients[p].size(); ++j)
        change(p, j, gradients[p][j] * std::min(1.0, options_.clip / norms.back()), rate);
  }

  const std::vector<Numbers>& values() const { return values_; }

  std::vector<double> losses, norms;  // [steps]

 private:
  /// AdamW's change of a number.
  void change(std::size_t p, std::size_t j, double g, double rate) {
    const auto& [beta1, beta2, epsilon, decay] = options_.adamw;
    double &m = first_[p][j], &v = second_[p][j], &x = values_[p][j];
    m = beta1 * m + (1 - beta1) * g;
    v = beta2 * v + (1 - beta2) * g * g;
    const double m_mean = m / (1 - std::pow(beta1, steps_)),
                 v_mean = v / (1 - std::pow(beta2, steps_));
    x -= rate * (m_mean / (std::sqrt(v_mean) + epsilon) + (decays_[p] ? decay * x : 0));
  }

  TrainingOptions options_;
  std::vector<Numbers> values_, first_, second_;
  std::vector<bool> decays_;
  int steps_ = 0;
};

/// Expects that a run of the trainer does to every parameter what the plain loop does.
/// @param clip  between the norms of the steps
void expect_plain_training(Objective& objective, const std::vector<data::TraceStore>& stores,
                           double clip, const GradientsAt& gradients_at) {
  const TrainingOptions options = four_steps(clip);
  PlainTraining plain(objective.parameters(), options);
  const data::StreamOptions order = {.seed = 4};
  TraceMix plain_data(stores, order), data(stores, order);
  for (std::int64_t i = 0; i < options.schedule.steps; ++i) plain.step(plain_data, gradients_at);
  EXPECT_LT(*std::min_element(plain.norms.begin(), plain.norms.end()), clip);
  EXPECT_GT(*std::max_element(plain.norms.begin(), plain.norms.end()), clip);

  std::vector<StepReport> reports;
  MetricsFile metrics({}, 0);
  TrainingWatch watch;
  watch.on_step = [&](const StepReport& report) { reports.push_back(report); };
  watch.interrupted = [] { return false; };
  const std::vector<data::Trace> validation = TraceMix(stores, order).next(1);
  EXPECT_EQ(Trainer(objective, data, validation, options, {}, metrics, watch).run(),
            Ending::kFinished);

  ASSERT_EQ(reports.size(), std::size(kRates));
  for (std::size_t i = 0; i < reports.size(); ++i) {
    EXPECT_NEAR(reports[i].loss, plain.losses[i], 1e-9);
    EXPECT_NEAR(reports[i].gradient_norm, plain.norms[i], 1e-9);
    EXPECT_NEAR(reports[i].learning_rate, kRates[i], 1e-15);
  }
  const std::vector<Parameter> parameters = objective.parameters();
  for (std::size_t p = 0; p < parameters.size(); ++p) {
    const Numbers found = numbers_of(parameters[p].value);
    for (std::size_t j = 0; j < found.size(); ++j)
      ASSERT_NEAR(found[j], plain.values()[p][j], 1e-9) << parameters[p].name << " " << j;
  }
}

/// Of the unigram model, from the counts of tokens.
BatchGradients unigram_gradients(std::span<const data::Trace> traces,
                                 const std::vector<Numbers>& values) {
  const std::size_t vocab = values[0].size();
  Numbers logits, counts(vocab);
  double total = 0;
  for (std::size_t v = 0; v < vocab; ++v) {
    logits.push_back(values[0][v] + values[1][0] * static_cast<double>(v) / 300);
    total += std::exp(logits[v]);
  }
  BatchGradients found{{Numbers(vocab), Numbers(1)}, {}};
  for (const data::Trace& trace : traces)
    for (const Token token : trace.output_tokens) {
      ++counts[static_cast<std::size_t>(token)];
      ++found.loss.tokens;
    }
  for (std::size_t v = 0; v < vocab; ++v) {
    const double share = std::exp(logits[v]) / total;
    found.loss.loss -= counts[v] * std::log(share);
    found.gradients[0][v] = static_cast<double>(found.loss.tokens) * share - counts[v];
    found.gradients[1][0] += found.gradients[0][v] * static_cast<double>(v) / 300;
  }
  return found;
}

TEST(TrainingStep, OfAUnigramModelIsThatOfAPlainLoop) {
  const test::RandomStore store;
  test::ToyObjectiveOf<double> objective;
  std::vector<data::TraceStore> stores;
  stores.emplace_back(store.path);
  expect_plain_training(objective, stores, 0.4, unigram_gradients);
}

/// In double, which is not validated in.
struct DraftInDouble : DraftObjective {
  explicit DraftInDouble(const model::Model& target)
      : DraftObjective(target, {0, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233}, {.layers = {1}},
                       at::kDouble) {}
  Validation validate(std::span<const data::Trace>) override { return {}; }
};

// Of the draft model a batch's gradients are its own: other tests compare them with differences.
TEST(TrainingStep, OfADraftModelIsThatOfAPlainLoop) {
  const test::SmallTarget target(1);
  data::StoreIdentity identity = test::small_identity();
  identity.vocab = target.model.config.vocab;
  const data::ShardPlan plan{40, 12, 1, 1};
  data::TraceWriter writer(target.folder.path() / "store", identity, plan);
  for (const int shard : writer.missing())
    writer.write(shard, test::random_shard(identity, plan, shard));
  std::vector<data::TraceStore> stores;
  stores.emplace_back(target.folder.path() / "store");

  DraftInDouble objective(target.model), other(target.model);
  const GradientsAt gradients_at = [&](std::span<const data::Trace> traces,
                                       const std::vector<Numbers>& values) {
    BatchGradients found;
    const std::vector<Parameter> parameters = other.parameters();
    for (std::size_t p = 0; p < parameters.size(); ++p) {
      std::copy(values[p].begin(), values[p].end(), parameters[p].value.mutable_data_ptr<double>());
      parameters[p].value.mutable_grad() = at::zeros_like(parameters[p].value);
    }
    found.loss = other.accumulate(traces, 1);
    for (const Parameter& parameter : parameters)
      found.gradients.push_back(numbers_of(parameter.value.grad()));
    return found;
  };
  expect_plain_training(objective, stores, 0.35, gradients_at);
}

}  // namespace
}  // namespace outrider::train
