#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/cost/trials.h"
#include "runtime/draft/stop/make_stop_policy.h"
#include "runtime/draft/stop/stop_classifier.h"
#include "runtime/hdf5/reader.h"
#include "runtime/hdf5/writer.h"

namespace outrider::artifacts {

/// Of the texts of all kinds: DISCO as published, and classifiers beyond it.
inline constexpr const char *kDisco = "/disco", *kStopClassifier = "/stop_classifier";
/// The set of all texts.
inline constexpr const char* kAllTexts = "all";
/// The group of a policy, draft::kDiscoStop or kClassifierStop. Of one set of texts "/disco_sets/<name>" or
/// "/stop_classifier_sets/<name>", with nothing but letters, digits, dots and dashes in the name; the ones above for
/// kAllTexts.
std::string stop_group(std::string_view policy, const std::string& set);
/// Whether a group is one of these.
bool is_stop_group(const std::string& group);
/// Where such a group has its trials.
std::string trials_of_stop(const std::string& group);

/// DISCO at one temperature: the classifier, and the threshold tau and the longest round that were found
/// the fastest with it (Mamou et al. 2024, section 3 and appendix E).
struct TrainedStop {
  draft::StopClassifier classifier;
  std::string label;        // that it was trained on: "hard", "soft" or "tv"
  bool along_path = false;  // whether tau is of the product of a round's C_i: draft::LeastScore
  /// Rounds of the validation texts: static ones, those that the draft's own probabilities end ("confidence", "path"), and
  /// those that tau ends, whose policy is called kClassifierStop whatever it reads.
  cost::TemperatureTrials trials;
  std::map<std::string, cost::SettingValues>
      chosen;      // of each policy, the fastest on the machine of the training
  double auc = 0;  // of C_i for whether a token is accepted
  double f1 = 0;   // of its rule likewise, as study::StopEvaluation

  /// Whether it is as the paper has it: its twelve inputs, and a threshold of C_i.
  bool is_published() const {
    return !along_path && classifier.inputs_read() == draft::StopClassifier::kPaperInputs;
  }
  /// The policies whose rounds are tried, and chosen of.
  static constexpr const char* kPolicies[] = {"static", "confidence", "path",
                                              draft::kClassifierStop};
  /// The fastest of a policy's rounds, once they are priced. @throws std::logic_error for a policy that was not tried
  const cost::Trial& best(const std::string& policy) const;

  // Reliability: validation tokens by C_i, in equal parts of 0 to 1.
  std::vector<double> share;      // of the tokens
  std::vector<double> predicted;  // mean C_i; 0 without tokens
  std::vector<double> accepted;   // share of them that are accepted
};

/// What `train disco` found for a target and one draft model: DISCO as published, or what it does not call so.
struct TrainedDisco {
  std::string draft;                        // hash of the draft model
  std::string machine;                      // of whose pass times what is chosen is
  int context = 0;                          // tokens before a round, the mean
  std::vector<TrainedStop> by_temperature;  // ascending; at least one

  const TrainedStop& nearest(double temperature) const;
};

void write_disco(const TrainedDisco& disco, hdf5::Writer& file, const std::string& group);
/// @throws InputError for an invalid group
TrainedDisco read_disco(const hdf5::Reader& file, const std::string& group);

}  // namespace outrider::artifacts
