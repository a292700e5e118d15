#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/cost/draft_settings.h"
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

/// DISCO at one temperature: the classifier, and the threshold tau and the longest round that were found
/// the fastest with it (Mamou et al. 2024, section 3 and appendix E).
struct TrainedStop {
  draft::StopClassifier classifier;
  std::string label;  // that it was trained on: "hard", "soft" or "tv"
  cost::DraftSettings
      settings;  // thresholds are tau, all of C_i or all of the product of a round's; from 0, static rounds, on
  // Rounds of the same texts that the draft's own probabilities end: its token's, and the product of the
  // round's. Older files have neither.
  std::optional<cost::DraftSettings> confidence = {}, path = {};
  double auc = 0;  // of C_i for whether a token is accepted
  double f1 = 0;   // of its rule likewise, as study::StopEvaluation; of older files of C_i alone

  /// Whether tau is of the product: draft::LeastScore.
  bool along_path() const { return settings.is_along_path(settings.thresholds.size() - 1); }
  /// Whether it is as the paper has it: its twelve inputs, and a threshold of C_i.
  bool is_published() const {
    return !along_path() && classifier.inputs_read() == draft::StopClassifier::kPaperInputs;
  }

  // Reliability: validation tokens by C_i, in equal parts of 0 to 1.
  std::vector<double> share;      // of the tokens
  std::vector<double> predicted;  // mean C_i; 0 without tokens
  std::vector<double> accepted;   // share of them that are accepted
};

/// What `train disco` found for a target and one draft model: DISCO as published, or what it does not call so.
struct TrainedDisco {
  std::string draft;                        // hash of the draft model
  std::string machine;                      // of whose pass times the settings are
  std::vector<TrainedStop> by_temperature;  // ascending; at least one

  const TrainedStop& nearest(double temperature) const;
  /// Whether all are; those of kDisco in files of older versions need not be.
  bool is_published() const;
};

void write_disco(const TrainedDisco& disco, hdf5::Writer& file, const std::string& group);
/// @throws InputError for an invalid group
TrainedDisco read_disco(const hdf5::Reader& file, const std::string& group);

}  // namespace outrider::artifacts
