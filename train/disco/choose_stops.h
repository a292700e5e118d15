#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/artifacts/disco_group.h"
#include "runtime/cost/trial_prices.h"
#include "train/disco/fit_classifier.h"
#include "train/disco/stop_texts.h"

namespace outrider::train {

/// What a classifier reads: so many of StopClassifier's inputs, the first ones.
enum class StopInputs : std::size_t {
  kPaper = draft::StopClassifier::kPaperInputs,
  kDrawn = draft::StopClassifier::kDrawnInputs,  // also which token was drawn
  kText = draft::StopClassifier::kInputs,        // also whether the text went on with it before
};

/// The word for it in flags and reports.
const char* name_of(StopInputs inputs);
inline constexpr std::array kStopInputs = {StopInputs::kPaper, StopInputs::kDrawn,
                                           StopInputs::kText};
/// What a trained classifier reads.
StopInputs inputs_of(const draft::StopClassifier& classifier);

/// How a classifier is trained.
struct StopTraining {
  std::string label;  // one of kStopLabels
  StopInputs inputs = StopInputs::kPaper;
  bool along_path = false;  // whether tau is of the product of a round's C_i
  bool calibrated =
      true;  // whether its probabilities are made those of the validation texts: `calibrate`

  /// DISCO as the paper has it: its inputs, tau of C_i, and the network as it was trained. Labels are those of
  /// appendix D.1, "hard", or of section 3, "tv".
  static StopTraining published(std::string label) {
    return {std::move(label), StopInputs::kPaper, false, false};
  }
};

/// "hard": whether a token is accepted; "soft": how probable that is over the noise; "tv": 1 less the total variation
/// distance between the distributions of draft and target.
inline constexpr std::array kStopLabels = {"hard", "soft", "tv"};

/// The tokens of texts that count.
StopExamples examples_of(const std::vector<StopText>& texts, const StopTraining& training);

/// A classifier at one temperature: trained, calibrated unless told otherwise, and with the threshold and the longest
/// round that are predicted to be the fastest on the validation texts; static rounds and those by the draft's own
/// probabilities are chosen on the same texts.
artifacts::TrainedStop train_stop(const StopTexts& texts, double temperature,
                                  const StopTraining& training, const FitOptions& options,
                                  const cost::TrialPrices& prices, const FitResumed& resumed = {});

/// How long training takes, as far as some of the texts tell.
struct TrainingSeconds {
  std::int64_t tokens = 0;  // of all texts that are trained on
  double of_epoch = 0;      // of a pass over them
  double of_choice = 0;     // of what is chosen on all validation texts
};

/// Tries a training on a few texts.
TrainingSeconds seconds_of_training(const StopTexts& texts, double temperature,
                                    const StopTraining& training, FitOptions options,
                                    const cost::TrialPrices& prices);

/// How fast rules are predicted to decode texts.
struct StopRates {
  struct Rate {
    std::string rule;  // "plain", "static 5", ...
    double tokens_per_second = 0;
    std::optional<double> f1 = {};  // study::StopEvaluation; none of plain decoding and the oracle
  };
  std::vector<Rate> rates;     // the last one is the oracle's
  double confident_share = 0;  // the same share that the rule by the draft's own probability saves
  double path_share = 0;       // the same share that the rule by their product in a round saves
  double classifier_share =
      0;  // of the time from the fastest static rounds to the oracle that the classifier saves
  double auc = 0, f1 = 0;  // of C_i, and of its rule
  double always_f1 = 0;    // of going on after every token
};

/// @param stop  of train_stop, which chose the settings
/// @param name  of its rule
/// @param on    the texts to decode
StopRates stop_rates(const artifacts::TrainedStop& stop, const std::string& name,
                     const std::vector<StopText>& on, const cost::TrialPrices& prices);

}  // namespace outrider::train
