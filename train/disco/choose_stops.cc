#include "train/disco/choose_stops.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <stdexcept>
#include <utility>

#include "data/study/binary_scores.h"
#include "data/study/stop_evaluation.h"
#include "runtime/base/math.h"
#include "runtime/base/stopwatch.h"
#include "runtime/cost/stop_trials.h"
#include "runtime/draft/stop/confidence.h"
#include "runtime/draft/stop/heuristic_length.h"
#include "runtime/draft/stop/make_stop_policy.h"
#include "runtime/draft/stop/static_length.h"

namespace outrider::train {
namespace {

using artifacts::TrainedStop;

constexpr int kLongestStop = 16;
constexpr int kThresholdSteps = 20;
constexpr int kReliabilityParts = 10;

/// The texts with a score for each token, which they refer to.
struct ScoredTexts {
  std::vector<std::vector<float>> scores;
  std::vector<cost::DraftedText> texts;
};

/// The texts with the logarithm of C_i as score.
ScoredTexts by_classifier(const draft::StopClassifier& classifier,
                          const std::vector<StopText>& texts) {
  ScoredTexts scored;
  scored.scores.reserve(texts.size());
  for (const StopText& text : texts) {
    std::vector<float>& scores = scored.scores.emplace_back();
    for (const auto& inputs : text.inputs)
      scores.push_back(static_cast<float>(math::log(draft::logistic(classifier.logit(inputs)))));
    scored.texts.push_back({text.counted, text.accepted, scores});
  }
  return scored;
}

ScoredTexts by_confidence(const std::vector<StopText>& texts) {
  ScoredTexts scored;
  for (const StopText& text : texts)
    scored.texts.push_back({text.counted, text.accepted, text.log_q});
  return scored;
}

std::vector<double> tried_thresholds() {
  std::vector<double> thresholds;
  for (int step = 1; step < kThresholdSteps; ++step)
    thresholds.push_back(static_cast<double>(step) / kThresholdSteps);
  return thresholds;
}

/// Rounds of one length, and those that thresholds of each policy end.
std::vector<cost::Trial> tried_rounds(const ScoredTexts& own, const ScoredTexts& by_c,
                                      bool along_path) {
  std::vector<cost::Trial> tried;
  const auto add = [&](const ScoredTexts& scored, const cost::ThresholdPolicy& policy) {
    for (cost::Trial& trial : cost::try_stops(scored.texts, policy, kLongestStop))
      tried.push_back(std::move(trial));
  };
  add(own, {});
  add(own, {"confidence", false, tried_thresholds()});
  add(own, {"path", true, tried_thresholds()});
  add(by_c, {draft::kClassifierStop, along_path, tried_thresholds()});
  return tried;
}

/// Each token's C_i and whether it is accepted, of those that count.
struct Classified {
  std::vector<double> confidence;
  std::vector<std::uint8_t> accepted;
};

Classified classified(const draft::StopClassifier& classifier, const std::vector<StopText>& texts) {
  Classified all;
  for (const StopText& text : texts)
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text.counted[i] == 0) continue;
      all.confidence.push_back(draft::logistic(classifier.logit(text.inputs[i])));
      all.accepted.push_back(text.accepted[i]);
    }
  return all;
}

/// The F1 of a policy that is given the scores in place of log q, in the oracle's rounds of the tokens that count.
double f1_of(const ScoredTexts& scored, std::unique_ptr<draft::StopPolicy> policy, int longest) {
  study::StopEvaluation evaluation(std::move(policy), longest);
  for (const cost::DraftedText& text : scored.texts) {
    evaluation.start();
    for (std::size_t i = 0; i < text.score.size(); ++i) {
      if (text.counted[i] == 0) continue;
      const auto index = static_cast<std::int64_t>(i);
      evaluation.add({.number = 0, .log_q = text.score[i], .index = index}, text.accepted[i] != 0);
    }
  }
  return evaluation.confusion().f1();
}

/// Likewise of the rounds of a trial that a threshold ends. @param of_sum  as of its policy
double f1_of(const ScoredTexts& scored, const cost::Trial& trial, bool of_sum) {
  return f1_of(scored,
               std::make_unique<draft::Confidence>(
                   cost::number_of(trial.settings, "draft-threshold"), of_sum),
               cost::end_of(trial, of_sum).length);
}

std::size_t counted_tokens(const std::vector<StopText>& texts) {
  std::size_t tokens = 0;
  for (const StopText& text : texts)
    tokens += static_cast<std::size_t>(std::count(text.counted.begin(), text.counted.end(), 1));
  return tokens;
}

/// So many of the texts that they have this many tokens that count, or all.
std::vector<StopText> first_of(const std::vector<StopText>& texts, std::size_t tokens) {
  std::vector<StopText> first;
  std::size_t counted = 0;
  for (const StopText& text : texts) {
    if (counted >= tokens) break;
    first.push_back(text);
    counted = counted_tokens(first);
  }
  return first;
}

float label_of(const StopText& text, std::size_t i, const std::string& label) {
  if (label == "soft") return text.probable[i];
  return label == "tv" ? text.overlap[i] : static_cast<float>(text.accepted[i]);
}

}  // namespace

const char* name_of(StopInputs inputs) {
  switch (inputs) {
    case StopInputs::kPaper:
      return "paper";
    case StopInputs::kDrawn:
      return "drawn";
    case StopInputs::kText:
      return "text";
  }
  throw std::logic_error("name_of: no such inputs");
}

StopInputs inputs_of(const draft::StopClassifier& classifier) {
  if (classifier.reads_match()) return StopInputs::kText;
  return classifier.reads_drawn_token() ? StopInputs::kDrawn : StopInputs::kPaper;
}

StopExamples examples_of(const std::vector<StopText>& texts, const StopTraining& training) {
  StopExamples examples;
  for (const StopText& text : texts)
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text.counted[i] == 0) continue;
      draft::StopClassifier::Inputs& inputs = examples.inputs.emplace_back(text.inputs[i]);
      std::fill(inputs.begin() + static_cast<std::ptrdiff_t>(training.inputs), inputs.end(), 0.0F);
      examples.labels.push_back(label_of(text, i, training.label));
    }
  return examples;
}

TrainedStop train_stop(const StopTexts& texts, double temperature, const StopTraining& training,
                       const FitOptions& options, const cost::TrialPrices& prices,
                       const FitResumed& resumed) {
  TrainedStop stop;
  stop.label = training.label;
  stop.along_path = training.along_path;
  stop.classifier =
      fit_classifier(examples_of(texts.training, training), kPositionScale, options, resumed);
  if (training.calibrated) calibrate(stop.classifier, examples_of(texts.validation, training));
  const ScoredTexts by_c = by_classifier(stop.classifier, texts.validation);
  const ScoredTexts own = by_confidence(texts.validation);
  stop.trials = {temperature, static_cast<std::int64_t>(counted_tokens(texts.validation)),
                 tried_rounds(own, by_c, training.along_path)};
  stop.trials.price(prices);
  for (const char* policy : TrainedStop::kPolicies)
    stop.chosen[policy] = stop.best(policy).settings;
  const cost::Trial& chosen = stop.best(draft::kClassifierStop);

  const Classified all = classified(stop.classifier, texts.validation);
  const std::vector<double> happened(all.accepted.begin(), all.accepted.end());
  stop.auc = study::area_under_roc(all.confidence, all.accepted);
  stop.f1 = f1_of(by_c, chosen, stop.along_path);
  study::Reliability reliability =
      study::reliability_of(all.confidence, happened, kReliabilityParts);
  stop.share = std::move(reliability.share);
  stop.predicted = std::move(reliability.predicted);
  stop.accepted = std::move(reliability.happened);
  return stop;
}

TrainingSeconds seconds_of_training(const StopTexts& texts, double temperature,
                                    const StopTraining& training, FitOptions options,
                                    const cost::TrialPrices& prices) {
  constexpr std::size_t kSample = 2000;  // tokens
  StopTexts sample = {first_of(texts.training, kSample), first_of(texts.validation, kSample)};
  TrainingSeconds found;
  found.tokens = static_cast<std::int64_t>(counted_tokens(texts.training));
  const auto tried = static_cast<double>(counted_tokens(sample.training));
  const auto seconds = [&](int epochs) {
    options.epochs = epochs;
    const Stopwatch watch;
    train_stop(sample, temperature, training, options, prices);
    return watch.seconds();
  };
  const double of_choice = seconds(0);
  found.of_choice = of_choice * static_cast<double>(counted_tokens(texts.validation)) /
                    std::max<double>(1, static_cast<double>(counted_tokens(sample.validation)));
  constexpr int kEpochs = 2;
  found.of_epoch = std::max(0.0, seconds(kEpochs) - of_choice) / kEpochs *
                   static_cast<double>(found.tokens) / std::max(1.0, tried);
  return found;
}

StopRates stop_rates(const TrainedStop& stop, const std::string& name,
                     const std::vector<StopText>& on, const cost::TrialPrices& prices) {
  const cost::Trial &longest = stop.best("static"), &likely = stop.best("confidence"),
                    &reached = stop.best("path"), &chosen = stop.best(draft::kClassifierStop);
  const ScoredTexts own = by_confidence(on), by_c = by_classifier(stop.classifier, on);

  StopRates found;
  const auto add = [&](std::string rule, const cost::TrialCounts& rounds,
                       std::optional<double> f1 = {}) {
    const double rate = prices.speed(rounds, cost::Shape::kChain);
    found.rates.push_back({std::move(rule), rate, f1});
    return 1 / rate;
  };
  const auto add_fixed = [&](std::string rule, int length) {
    return add(std::move(rule), cost::count_rounds(own.texts, {length, -HUGE_VAL}),
               f1_of(own, std::make_unique<draft::StaticLength>(), length));
  };
  const auto add_stopped = [&](const std::string& rule, const ScoredTexts& scored,
                               const cost::Trial& rounds, bool of_sum) {
    const cost::RoundEnd end = cost::end_of(rounds, of_sum);
    return add(fmt::format("{} {:.2f}, at most {}", rule,
                           cost::number_of(rounds.settings, "draft-threshold"), end.length),
               cost::count_rounds(scored.texts, end), f1_of(scored, rounds, of_sum));
  };
  add("plain", {});
  constexpr int kUsualLength = 5;
  add_fixed("static 5", kUsualLength);
  const int fixed_length = cost::end_of(longest, false).length;
  const double fixed = add_fixed(fmt::format("static {}, the fastest", fixed_length), fixed_length);
  draft::HeuristicLength heuristic(kLongestStop);
  add("heuristic", cost::count_rounds(own.texts, heuristic, kLongestStop),
      f1_of(own, std::make_unique<draft::HeuristicLength>(kLongestStop), kLongestStop));
  const double by_own = add_stopped("confidence", own, likely, false);
  const double by_path = add_stopped("path", own, reached, true);
  const double by_classifier_rule =
      add_stopped(name + (stop.along_path ? ", path" : ""), by_c, chosen, stop.along_path);
  const double bound = add("oracle", cost::count_oracle_rounds(own.texts));
  if (fixed > bound) {
    found.confident_share = (fixed - by_own) / (fixed - bound);
    found.path_share = (fixed - by_path) / (fixed - bound);
    found.classifier_share = (fixed - by_classifier_rule) / (fixed - bound);
  }
  const Classified all = classified(stop.classifier, on);
  found.auc = study::area_under_roc(all.confidence, all.accepted);
  found.f1 = f1_of(by_c, chosen, stop.along_path);
  found.always_f1 =
      f1_of(own, std::make_unique<draft::StaticLength>(), draft::StopPolicy::kNoLimit);
  return found;
}

}  // namespace outrider::train
