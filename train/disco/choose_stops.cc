#include "train/disco/choose_stops.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "runtime/base/math.h"
#include "runtime/draft/stop/heuristic_length.h"
#include "runtime/evaluate/binary_scores.h"

namespace outrider::train {
namespace {

using artifacts::TrainedStop;
using cost::DraftSettings;

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

DraftSettings tried_settings(double temperature, bool along_path) {
  DraftSettings settings;
  settings.temperature = temperature;
  for (int step = 0; step < kThresholdSteps; ++step)
    settings.thresholds.push_back(static_cast<double>(step) / kThresholdSteps);
  settings.along_path.assign(settings.thresholds.size(), along_path);
  for (int length = 1; length <= kLongestStop; ++length) settings.draft_lengths.push_back(length);
  return settings;
}

/// @param scored  by log-probabilities, which are compared with the logarithms of thresholds
void predict(const ScoredTexts& scored, const RoundTimes& times, DraftSettings& settings) {
  std::vector<double> least = settings.thresholds;
  for (double& one : least) one = math::log(one);
  cost::predict_rounds(scored.texts, least, times.pass, times.draft, settings);
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

double f1_with(const Classified& all, double threshold) {
  evaluate::Confusion confusion;
  for (std::size_t i = 0; i < all.accepted.size(); ++i)
    confusion.add(all.confidence[i] >= threshold, all.accepted[i] != 0);
  return confusion.f1();
}

double f1_threshold(const TrainedStop& stop) {
  return stop.along_path() ? 0.5 : stop.settings.best_stopped().threshold;
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
      examples.labels.push_back(training.label == "soft" ? text.probable[i]
                                                         : static_cast<float>(text.accepted[i]));
    }
  return examples;
}

TrainedStop train_stop(const StopTexts& texts, double temperature, const StopTraining& training,
                       const FitOptions& options, const RoundTimes& times) {
  TrainedStop stop;
  stop.label = training.label;
  stop.classifier = fit_classifier(examples_of(texts.training, training), kPositionScale, options);
  calibrate(stop.classifier, examples_of(texts.validation, training));
  stop.settings = tried_settings(temperature, training.along_path);
  predict(by_classifier(stop.classifier, texts.validation), times, stop.settings);
  const ScoredTexts own = by_confidence(texts.validation);
  predict(own, times, stop.confidence.emplace(tried_settings(temperature, false)));
  predict(own, times, stop.path.emplace(tried_settings(temperature, true)));

  const Classified all = classified(stop.classifier, texts.validation);
  std::vector<double> happened(all.accepted.begin(), all.accepted.end());
  if (!happened.empty()) {
    double accepted = 0;
    for (const double one : happened) accepted += one;
    stop.settings.agreement = accepted / static_cast<double>(happened.size());
  }
  stop.auc = evaluate::area_under_roc(all.confidence, all.accepted);
  stop.f1 = f1_with(all, f1_threshold(stop));
  evaluate::Reliability reliability =
      evaluate::reliability_of(all.confidence, happened, kReliabilityParts);
  stop.share = std::move(reliability.share);
  stop.predicted = std::move(reliability.predicted);
  stop.accepted = std::move(reliability.happened);
  return stop;
}

StopRates stop_rates(const TrainedStop& stop, const std::vector<StopText>& on,
                     const RoundTimes& times) {
  const auto longest = stop.confidence->best_fixed(), likely = stop.confidence->best_stopped(),
             reached = stop.path->best_stopped(), disco = stop.settings.best_stopped();

  StopRates found;
  const auto add = [&](std::string rule, double rate) {
    found.rates.push_back({std::move(rule), rate});
    return 1 / rate;
  };
  const auto rate_of = [&](const ScoredTexts& scored, const DraftSettings::Cell& cell) {
    DraftSettings one;
    one.thresholds = {cell.threshold};
    one.draft_lengths = {cell.draft_length};
    one.along_path = {cell.along_path};
    predict(scored, times, one);
    return one.tokens_per_second[0];
  };
  const ScoredTexts own = by_confidence(on);
  const auto words = [](const char* rule, const DraftSettings::Cell& cell) {
    return fmt::format("{} {:.2f}, at most {}", rule, cell.threshold, cell.draft_length);
  };
  add("plain", 1 / times.pass(1));
  add("static 5", rate_of(own, {.draft_length = 5}));
  const double fixed =
      add(fmt::format("static {}, the fastest", longest.draft_length), rate_of(own, longest));
  draft::HeuristicLength heuristic(kLongestStop);
  add("heuristic",
      cost::predict_policy(own.texts, heuristic, kLongestStop, times.pass, times.draft));
  const double by_own = add(words("confidence", likely), rate_of(own, likely));
  const double by_path = add(words("path", reached), rate_of(own, reached));
  const double by_disco = add(words(disco.along_path ? "disco, path" : "disco", disco),
                              rate_of(by_classifier(stop.classifier, on), disco));
  const double bound = add("oracle", cost::predict_oracle(own.texts, times.pass, times.draft));
  if (fixed > bound) {
    found.confident_share = (fixed - by_own) / (fixed - bound);
    found.path_share = (fixed - by_path) / (fixed - bound);
    found.disco_share = (fixed - by_disco) / (fixed - bound);
  }
  const Classified all = classified(stop.classifier, on);
  found.auc = evaluate::area_under_roc(all.confidence, all.accepted);
  found.f1 = f1_with(all, f1_threshold(stop));
  return found;
}

}  // namespace outrider::train
