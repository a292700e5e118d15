#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "data/study/binary_scores.h"
#include "runtime/base/interrupted.h"
#include "runtime/cost/stop_trials.h"
#include "runtime/draft/stop/text_match.h"
#include "tests/support/expect_input_error.h"
#include "tests/support/some_trials.h"
#include "tests/train/random_trace.h"
#include "train/disco/choose_stops.h"
#include "train/disco/stop_choice.h"

namespace outrider::train {
namespace {

using draft::StopClassifier;

/// Tokens that are accepted with a probability that the first input tells, but not linearly.
double probability_of(float first) {
  return 0.05 + 0.9 * std::pow(std::sin(3 * static_cast<double>(first)), 2);
}

StopExamples made_examples(int count, std::uint64_t seed, bool hard) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<float> uniform(0, 1);
  StopExamples examples;
  for (int i = 0; i < count; ++i) {
    StopClassifier::Inputs inputs = {};
    for (float& one : inputs) one = uniform(random);
    inputs[5] = 2;  // that never changes
    const double p = probability_of(inputs[0]);
    examples.inputs.push_back(inputs);
    examples.labels.push_back(hard ? static_cast<float>(static_cast<double>(uniform(random)) < p)
                                   : static_cast<float>(p));
  }
  return examples;
}

double mean_error(const StopClassifier& classifier, const StopExamples& examples) {
  double sum = 0;
  for (const auto& inputs : examples.inputs)
    sum += std::abs(draft::logistic(classifier.logit(inputs)) - probability_of(inputs[0]));
  return sum / static_cast<double>(examples.size());
}

TEST(FitClassifier, LearnsProbabilitiesFromEitherLabel) {
  for (const bool hard : {true, false}) {
    const StopClassifier found = fit_classifier(made_examples(8000, 1, hard), 256, {});
    EXPECT_EQ(found.position_scale, 256);
    EXPECT_LT(mean_error(found, made_examples(1000, 2, hard)), hard ? 0.05 : 0.02) << hard;
  }
}

TEST(FitClassifier, IsTheSameForTheSameSeed) {
  const StopExamples examples = made_examples(500, 1, true);
  const FitOptions few = {.epochs = 2};
  const StopClassifier one = fit_classifier(examples, 1, few),
                       same = fit_classifier(examples, 1, few);
  EXPECT_EQ(one.hidden, same.hidden);
  EXPECT_EQ(one.output_bias, same.output_bias);
  EXPECT_NE(fit_classifier(examples, 1, {.epochs = 2, .seed = 2}).hidden, one.hidden);
  test::expect_input_error([] { fit_classifier({}, 1, {}); },
                           "--data: expected tokens to train on");
}

TEST(FitClassifier, GoesOnFromAnyPassAndGivesTheSameBits) {
  const StopExamples examples = made_examples(300, 1, true);  // the last step has fewer than 128
  const FitOptions options = {.epochs = 4};
  const StopClassifier whole = fit_classifier(examples, 1, options);
  for (int stop = 1; stop <= options.epochs; ++stop) {
    FitState left;
    const auto stop_there = [&](const FitState& state) {
      left = state;
      if (state.epochs == stop) throw Interrupted();
    };
    EXPECT_THROW(fit_classifier(examples, 1, options, {{}, stop_there}), Interrupted);
    EXPECT_EQ(left.numbers.size(), FitState::kNumbers);
    int passes = 0;
    const StopClassifier found =
        fit_classifier(examples, 1, options, {left, [&](const FitState&) { ++passes; }});
    EXPECT_EQ(passes, options.epochs - stop);
    EXPECT_EQ(found.hidden, whole.hidden) << stop;
    EXPECT_EQ(found.hidden_bias, whole.hidden_bias) << stop;
    EXPECT_EQ(found.output, whole.output) << stop;
    EXPECT_EQ(found.output_bias, whole.output_bias) << stop;
  }
}

TEST(FitClassifier, CalibrationUndoesAWrongScale) {
  const StopExamples examples = made_examples(4000, 3, false);
  StopClassifier good = fit_classifier(examples, 1, {});
  StopClassifier off = good;
  for (float& weight : off.output) weight *= 3;
  off.output_bias = 3 * off.output_bias + 1;
  EXPECT_GT(mean_error(off, examples), 0.1);
  calibrate(off, examples);
  EXPECT_LT(mean_error(off, examples), mean_error(good, examples) + 0.005);
  EXPECT_NEAR(cross_entropy(off, examples), cross_entropy(good, examples), 0.002);
}

TEST(FitClassifier, CrossEntropyIsThatOfItsProbabilities) {
  const StopExamples examples = made_examples(50, 4, false);
  const StopClassifier found = fit_classifier(examples, 1, {.epochs = 3});
  double expected = 0;
  for (std::size_t i = 0; i < examples.size(); ++i) {
    const double c = draft::logistic(found.logit(examples.inputs[i]));
    const double y = static_cast<double>(examples.labels[i]);
    expected -= (y * std::log(c) + (1 - y) * std::log(1 - c)) / 50;
  }
  EXPECT_NEAR(cross_entropy(found, examples), expected, 1e-9);
}

/// Texts whose tokens' acceptance the first input nearly determines, and the draft's own probability hardly
/// predicts.
std::vector<StopText> made_texts(int count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<float> uniform(0, 1);
  std::vector<StopText> texts;
  for (int i = 0; i < count; ++i) {
    StopText& text = texts.emplace_back();
    for (int t = 0; t < 100; ++t) {
      StopClassifier::Inputs inputs = {};
      for (float& one : inputs) one = uniform(random);
      const bool likely = inputs[0] < 0.8F;
      const float probable = likely ? 0.97F : 0.1F;
      text.inputs.push_back(inputs);
      text.counted.push_back(t >= 95 ? 0 : 1);
      text.accepted.push_back(uniform(random) < probable);
      text.probable.push_back(probable);
      text.overlap.push_back(likely ? 0.9F : 0.2F);
      text.log_q.push_back(std::log(uniform(random) * 0.98F + 0.01F));
    }
  }
  return texts;
}

/// A row more takes a twentieth of a pass, a step a tenth.
cost::TrialPrices made_prices() {
  return {cost::CostModel(test::some_passes(0.05, 0.05)), 0, {1}, {0.1}};
}

TEST(ChooseStops, FindsWhereTheClassifierPays) {
  const StopTexts texts = {made_texts(40, 1), made_texts(15, 2)};
  const artifacts::TrainedStop stop = train_stop(texts, 1, {"soft"}, {}, made_prices());
  EXPECT_EQ(stop.label, "soft");
  EXPECT_EQ(stop.trials.temperature, 1);
  const cost::Trial& best = stop.best("classifier");
  EXPECT_EQ(stop.chosen.at("classifier"), best.settings);
  EXPECT_GT(cost::number_of(best.settings, "draft-threshold"), 0.1);
  EXPECT_LT(cost::number_of(best.settings, "draft-threshold"), 0.97);
  EXPECT_EQ(&best, stop.trials.best(cost::kStopNames, {}, {})) << "the fastest of all";
  EXPECT_GT(stop.auc, 0.85);
  EXPECT_GT(stop.f1, 0.9);
  ASSERT_EQ(stop.share.size(), 10u);
  EXPECT_NEAR(stop.predicted[9], stop.accepted[9], 0.05);

  const StopRates rates = stop_rates(stop, "classifier", made_texts(30, 3), made_prices());
  ASSERT_EQ(rates.rates.size(), 8u);
  const auto rate = [&](std::size_t i) { return rates.rates[i].tokens_per_second; };
  EXPECT_EQ(rates.rates[0].rule, "plain");
  EXPECT_EQ(rate(0), 1);
  EXPECT_GT(rate(6), rate(2)) << "static rounds";
  EXPECT_EQ(rates.rates[3].rule, "heuristic");
  EXPECT_GT(rate(6), rate(3));
  EXPECT_GT(rate(6), rate(4)) << "confidence";
  EXPECT_GT(rate(6), rate(5)) << "path";
  EXPECT_GT(rate(7), rate(6)) << "the oracle";
  EXPECT_TRUE(rates.rates[6].rule.starts_with("classifier 0.")) << rates.rates[6].rule;
  EXPECT_GT(rates.classifier_share, 0.3);
  EXPECT_LT(rates.classifier_share, 1);
  EXPECT_GT(rates.classifier_share, rates.confident_share);
  EXPECT_GT(rates.auc, 0.85);
}

TEST(ChooseStops, TheThresholdIsOfTheProductAlongAPath) {
  const StopTexts texts = {made_texts(40, 1), made_texts(15, 2)};
  const artifacts::TrainedStop of_token = train_stop(texts, 1, {"hard"}, {}, made_prices());
  const artifacts::TrainedStop of_path =
      train_stop(texts, 1, {"hard", StopInputs::kPaper, true}, {}, made_prices());
  EXPECT_FALSE(of_token.along_path);
  EXPECT_TRUE(of_path.along_path);
  EXPECT_EQ(of_path.classifier.hidden, of_token.classifier.hidden);
  // Of drafts of one token both are the same; of longer ones the product is lower.
  const auto drafted = [](const artifacts::TrainedStop& stop, double length) {
    double sum = 0;
    for (const cost::Trial& trial : stop.trials.trials)
      if (trial.settings.at("draft-stop") == cost::SettingValue("classifier") &&
          cost::number_of(trial.settings, "draft-length") == length)
        sum += trial.drafted_per_round();
    return sum;
  };
  EXPECT_EQ(drafted(of_path, 1), drafted(of_token, 1));
  EXPECT_LT(drafted(of_path, 9), drafted(of_token, 9));
  EXPECT_GT(of_path.best("classifier").tokens_per_second,
            0.97 * of_token.best("classifier").tokens_per_second);
}

TEST(ChooseStops, InputsCountOnlyWhereTheyAreToBeRead) {
  const StopTexts texts = {made_texts(10, 1), made_texts(5, 2)};
  for (const StopInputs inputs : kStopInputs) {
    const artifacts::TrainedStop stop =
        train_stop(texts, 1, {"hard", inputs}, {.epochs = 2}, made_prices());
    EXPECT_EQ(inputs_of(stop.classifier), inputs);
    const auto& example = examples_of(texts.validation, {"hard", inputs}).inputs[3];
    EXPECT_NE(example[StopClassifier::kPaperInputs - 1], 0);
    EXPECT_EQ(example[StopClassifier::kDrawnInputs - 1] != 0, inputs != StopInputs::kPaper);
    EXPECT_EQ(example.back() != 0, inputs == StopInputs::kText);
  }
}

TEST(ChooseStops, ExamplesAreTheTokensThatCount) {
  std::vector<StopText> texts = made_texts(2, 5);
  EXPECT_EQ(examples_of(texts, {"soft"}).size(), 190u);
  EXPECT_EQ(examples_of(texts, {"soft"}).labels[3], texts[0].probable[3]);
  EXPECT_EQ(examples_of(texts, {"hard"}).labels[3], static_cast<float>(texts[0].accepted[3]));
  EXPECT_EQ(examples_of(texts, {"tv"}).labels[3], texts[0].overlap[3]);
}

/// Scores of one trace by a draft model that draws the text's tokens at every other place, none at the last.
data::DraftScores made_scores(const data::Trace& trace) {
  data::DraftScores scores;
  scores.resize(trace.output_tokens.size());
  for (std::size_t i = 0; i + 1 < trace.output_tokens.size(); ++i) {
    scores.choices[i] = trace.output_tokens[i] + (i % 2 == 0 ? 0 : 1);
    scores.distances[i] = 0.125F;
    scores.kept[i] = 0.75F;
    scores.coupled[i] = 0.5F;
  }
  return scores;
}

TEST(StopText, TokensInLoopsCountWhereAsked) {
  const data::Trace trace = test::made_trace(5, 41, 50, 4, 1, 1);  // every fourth is in a loop
  const auto counted = [&](bool loops) {
    const StopText text = stop_text(made_scores(trace), 0, trace, {.loops = loops}, 0);
    return std::count(text.counted.begin(), text.counted.end(), 1);
  };
  EXPECT_EQ(counted(true), 39)
      << "all but the first and the last, which the draft model does not reach";
  EXPECT_EQ(counted(false), 29);
}

// As decoding has it: what is drawn without the target's noise leads nothing by it.
TEST(StopText, ByRejectionADrawnTokenHasNoLead) {
  const auto lead = [](double temperature, bool rejection) {
    data::Trace trace = test::made_trace(5, 41, 50, 4, 1, 1);
    trace.temperature = temperature;
    data::DraftScores scores = made_scores(trace);
    scores.leads.assign(scores.leads.size(), 3);
    return stop_text(scores, 0, trace, {.rejection = rejection}, 0)
        .inputs[5][StopClassifier::kDrawnInputs - 1];
  };
  EXPECT_EQ(lead(1, false), 3);
  EXPECT_EQ(lead(1, true), 0);
  EXPECT_EQ(lead(0, true), 3);
}

// What a drafted token is compared with is all of the text before it, the prompt included.
TEST(StopText, TokensAreMatchedWithTheTextBeforeThem) {
  data::Trace trace = test::made_trace(5, 5, 50, 4, 1, 1);
  trace.prompt_tokens = {7, 8, 9, 8};
  trace.output_tokens = {7, 8, 9, 4, 5};
  data::DraftScores scores = made_scores(trace);
  scores.choices = {0, 8, 5, 8, 3};
  const StopText text = stop_text(scores, 0, trace, {}, 0);
  std::vector<float> signs, matches;
  for (const auto& inputs : text.inputs) {
    signs.push_back(inputs[StopClassifier::kDrawnInputs]);
    matches.push_back(inputs.back() * draft::kLongestTextMatch);
  }
  EXPECT_EQ(signs, (std::vector<float>{1, -1, 1, 0}));
  EXPECT_EQ(matches, (std::vector<float>{1, -2, 3, 0}));
}

// Labels that are means over the noise do not go with inputs that tell the noise.
TEST(StopTrainings, SoftLabelsGoWithTheDrawnTokenByRejectionOnly) {
  const auto kinds = [](const std::string& verify, const std::string& label, double temperature) {
    StopChoice flags;
    flags.verify = verify;
    flags.label = label;
    flags.rule = "token";
    std::vector<std::pair<std::string, StopInputs>> found;
    for (const StopTraining& one : flags.trainings(temperature))
      found.emplace_back(one.label, one.inputs);
    return found;
  };
  using Kinds = std::vector<std::pair<std::string, StopInputs>>;
  using enum StopInputs;
  EXPECT_EQ(
      kinds("coupled", "faster", 1),
      (Kinds{
          {"hard", kPaper}, {"soft", kPaper}, {"tv", kPaper}, {"hard", kDrawn}, {"hard", kText}}));
  EXPECT_EQ(kinds("coupled", "tv", 0), (Kinds{{"tv", kPaper}}));
  EXPECT_EQ(kinds("coupled", "hard", 1),
            (Kinds{{"hard", kPaper}, {"hard", kDrawn}, {"hard", kText}}));
  EXPECT_EQ(kinds("coupled", "soft", 1), (Kinds{{"soft", kPaper}}));
  EXPECT_EQ(kinds("rejection", "faster", 1), (Kinds{{"hard", kPaper},
                                                    {"soft", kPaper},
                                                    {"tv", kPaper},
                                                    {"hard", kDrawn},
                                                    {"soft", kDrawn},
                                                    {"hard", kText},
                                                    {"soft", kText}}));
  const Kinds soft = {{"soft", kPaper}, {"soft", kDrawn}, {"soft", kText}};
  EXPECT_EQ(kinds("rejection", "soft", 1), soft);
  EXPECT_EQ(kinds("rejection", "soft", 0), soft);
  EXPECT_EQ(kinds("rejection", "faster", 0),
            (Kinds{{"hard", kPaper}, {"tv", kPaper}, {"hard", kDrawn}, {"hard", kText}}));
}

// The paper has two labels, and nothing but them is left open.
TEST(StopTrainings, DiscoAsPublishedDependsOnNoFlagButTheLabel) {
  StopChoice flags;
  flags.inputs = "text";
  flags.rule = "path";
  const auto labels = [&](const std::string& label) {
    flags.label = label;
    std::string found;
    for (const StopTraining& one : flags.published()) {
      EXPECT_EQ(one.inputs, StopInputs::kPaper);
      EXPECT_FALSE(one.along_path);
      EXPECT_FALSE(one.calibrated);
      found += one.label + " ";
    }
    return found;
  };
  EXPECT_EQ(labels("faster"), "hard tv ");
  EXPECT_EQ(labels("soft"), "hard tv ");
  EXPECT_EQ(labels("hard"), "hard ");
  EXPECT_EQ(labels("tv"), "tv ");
}

TEST(ChooseStops, AsPublishedIsTheNetworkThatWasTrained) {
  const StopTexts texts = {made_texts(10, 1), made_texts(5, 2)};
  for (const char* label : {"hard", "tv"}) {
    const StopTraining training = StopTraining::published(label);
    const FitOptions few = {.epochs = 3};
    const artifacts::TrainedStop stop = train_stop(texts, 0, training, few, made_prices());
    EXPECT_TRUE(stop.is_published());
    EXPECT_EQ(stop.label, label);
    const StopClassifier fit =
        fit_classifier(examples_of(texts.training, training), kPositionScale, few);
    EXPECT_EQ(stop.classifier.output, fit.output) << "not calibrated";
    EXPECT_EQ(stop.classifier.output_bias, fit.output_bias);
  }
  const artifacts::TrainedStop ours = train_stop(texts, 0, {"hard"}, {.epochs = 3}, made_prices());
  EXPECT_NE(ours.classifier.output_bias,
            fit_classifier(examples_of(texts.training, {"hard"}), kPositionScale, {.epochs = 3})
                .output_bias);
}

TEST(ChooseStops, LearnsTheOverlapOfTheDistributions) {
  const StopTexts texts = {made_texts(40, 1), made_texts(15, 2)};
  const artifacts::TrainedStop stop =
      train_stop(texts, 0, StopTraining::published("tv"), {}, made_prices());
  double error = 0;
  for (std::size_t i = 0; i < 95; ++i) {
    const StopText& text = texts.validation[0];
    error += std::abs(draft::logistic(stop.classifier.logit(text.inputs[i])) -
                      static_cast<double>(text.overlap[i]));
  }
  EXPECT_LT(error / 95, 0.06) << "0.9 and 0.2, not the 0.97 and 0.1 that are accepted";
}

// One text of 6 tokens: accepted, accepted, not; accepted, not; one that does not count.
TEST(ChooseStops, F1IsOfTheOraclesRounds) {
  StopText text;
  text.inputs.resize(6);
  text.counted = {1, 1, 1, 1, 1, 0};
  text.accepted = {1, 1, 0, 1, 0, 1};
  text.probable = text.overlap = {0, 0, 0, 0, 0, 0};
  for (const double q : {0.9, 0.3, 0.8, 0.9, 0.1, 0.9})
    text.log_q.push_back(static_cast<float>(std::log(q)));
  artifacts::TrainedStop stop;
  const auto rounds = [](const char* policy, int length, double threshold) {
    return test::stopped_rounds(policy, length, threshold, 1, 2, 1);
  };
  stop.trials.trials = {rounds("static", 1, 0), rounds("confidence", 2, 0.5),
                        rounds("path", 2, 0.5), rounds("classifier", 2, 0.5)};
  const StopRates rates = stop_rates(stop, "disco", {text}, made_prices());
  const auto f1 = [&](std::size_t row) { return *rates.rates[row].f1; };
  EXPECT_FALSE(rates.rates[0].f1) << "plain decoding";
  EXPECT_DOUBLE_EQ(f1(1), 6.0 / (6 + 2 + 0)) << "five tokens: all of them, two not accepted";
  EXPECT_DOUBLE_EQ(f1(2), 4.0 / (4 + 0 + 1)) << "one token: the first of each round";
  EXPECT_DOUBLE_EQ(f1(4), 4.0 / (4 + 0 + 1))
      << "two tokens of at least 0.5: the first and the fourth";
  EXPECT_DOUBLE_EQ(rates.always_f1, 6.0 / 8);
  EXPECT_EQ(rates.f1, f1(6));
  EXPECT_FALSE(rates.rates[7].f1) << "the oracle";
}

TEST(StopText, ByRejectionTokensAreKeptAsOftenAsTheDistributionsSay) {
  const data::Trace trace = test::made_trace(5, 401, 50, 4, 1, 1);
  const data::DraftScores scores = made_scores(trace);
  const StopText coupled = stop_text(scores, 0, trace, {}, 0);
  EXPECT_EQ(coupled.accepted[0], 0);
  EXPECT_EQ(coupled.accepted[1], 1);
  EXPECT_EQ(coupled.probable[1], 0.5F);
  EXPECT_EQ(coupled.overlap[1], 0.875F);
  double kept = 0, alike = 0;
  const StopText first = stop_text(scores, 0, trace, {.rejection = true}, 0);
  for (int draw = 0; draw < kDrawnTexts; ++draw) {
    const StopText text = stop_text(scores, 0, trace, {.rejection = true}, draw);
    EXPECT_EQ(text.probable[1], 0.75F);
    for (std::size_t i = 0; i + 1 < text.size(); ++i) {
      kept += text.accepted[i];
      alike += text.accepted[i] == first.accepted[i];
    }
  }
  const double all = kDrawnTexts * 399;
  EXPECT_NEAR(kept / all, 0.75, 0.02)
      << "whether the draft's token is the text's has no part in it";
  EXPECT_LT(alike / all, 0.75) << "draws of their own";
  EXPECT_EQ(stop_text(scores, 0, trace, {.rejection = true}, 0).accepted, first.accepted);
}

TEST(ChooseStops, RoundsByTheDraftsOwnProbabilitiesAreChosenOnTheSameTexts) {
  const StopTexts texts = {made_texts(20, 1), made_texts(10, 2)};
  const artifacts::TrainedStop stop = train_stop(texts, 1, {"hard"}, {.epochs = 2}, made_prices());
  const auto tried = [&](const char* policy, double length) {
    return stop.trials.best(
        cost::kStopNames,
        {{"draft-stop", policy}, {"draft-length", length}, {"draft-threshold", 0.5}}, {});
  };
  EXPECT_EQ(stop.trials.trials.size(), 16U * (1 + 3 * 19));
  // Rounds of one token are the same by each of the draft's own probabilities.
  EXPECT_EQ(tried("path", 1)->drafted, tried("confidence", 1)->drafted);
  EXPECT_LT(tried("path", 9)->drafted_per_round(), tried("confidence", 9)->drafted_per_round());
  EXPECT_EQ(tried("static", 9)->drafted, tried("static", 9)->drafting.passes());
  EXPECT_EQ(tried("static", 9)->tokens, tried("classifier", 9)->tokens) << "of the same texts";
  for (const char* policy : artifacts::TrainedStop::kPolicies)
    EXPECT_EQ(stop.chosen.at(policy), stop.best(policy).settings) << policy;
}

}  // namespace
}  // namespace outrider::train
