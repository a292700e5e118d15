#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/base/hash.h"
#include "runtime/base/watch.h"
#include "runtime/methods/calibrated_trials.h"
#include "runtime/methods/loaded_draft.h"
#include "train/disco/choose_stops.h"
#include "train/disco/stop_choice.h"
#include "train/disco/stop_training_work.h"

namespace outrider::train {

/// A training of the classifiers that stop a draft model.
struct DiscoTraining {
  std::string model;
  int context = 0;                // 0: that of the first traces
  engine::EngineOptions engine;   // of the target
  std::vector<std::string> data;  // folders of its traces, with scores of the draft model
  std::vector<std::string> validation_data, test;
  std::string draft, artifacts;    // as --draft and --artifacts have them
  std::optional<int> draft_vocab;  // of a draft model from a file: methods::trim_to_drafts
  artifacts::Folders folders;      // of artifacts that are not named
  std::string set = artifacts::kAllTexts;
  double validation = 0.3;  // share of the prompts, without validation_data
  bool loops = false;       // whether tokens in loops count
  StopChoice stops;
  std::optional<double> cost_ratio;  // of other hardware; nothing: the times are this machine's
  FitOptions fit;
  std::string recipe;  // all options as TOML, for the artifact
};

/// What was found at one temperature with one training.
struct DiscoFinding {
  artifacts::TrainedStop stop;
  bool published = false;              // DISCO as the paper has it
  std::size_t tokens = 0;              // trained on
  double seconds = 0;                  // of training and choosing
  double training_loss = 0, loss = 0;  // cross-entropy, the latter on validation, in nats
  StopRates validation;                // of the texts that settings were chosen on
  std::optional<StopRates> test;       // of others
  bool chosen = false;  // of those that are published, or of the others, for the artifact

  /// The policy of `runtime decode --draft-stop` that it is for: draft::kDiscoStop or kClassifierStop.
  std::string policy() const;
};

/// Trains two classifiers for each temperature, DISCO as published and the fastest of those that `stops` leaves, with the
/// threshold and the longest round that are predicted to be the fastest. An interrupted training goes on, in a journal
/// beside the artifact file.
class DiscoRun {
 public:
  /// Loads the models and reads the traces. @param training, watch  must outlive it
  /// @throws InputError for traces of other models or without scores, and for a file that cannot be written to
  DiscoRun(const DiscoTraining& training, Watch& watch);

  /// Trains, and writes the artifacts. @throws Interrupted
  std::vector<DiscoFinding> train();

  /// The files that are written.
  const std::vector<std::filesystem::path>& artifacts() const { return artifacts_; }

 private:
  std::string group(const char* policy) const;
  void claim(const char* policy);
  std::string artifacts_to_read() const;
  void read(const std::string& flag, const std::vector<std::string>& folders, double share,
            StopTextsByTemperature& texts);
  std::string work_hash() const;
  std::int64_t passes() const;
  void plan(const cost::TrialPrices& prices);
  void find(double temperature, const StopTexts& texts, const cost::TrialPrices& prices);
  void find(double temperature, const std::vector<StopTraining>& trainings, bool published,
            const StopTexts& texts, const cost::TrialPrices& prices);
  void write(const char* policy) const;

  const DiscoTraining& training_;
  Watch& watch_;
  model::Model model_;
  std::unique_ptr<engine::Engine> engine_;
  methods::MethodTarget target_;
  std::string draft_path_;
  std::optional<methods::CalibratedTrials> calibrated_;
  int context_ = 0;  // tokens before rounds
  std::shared_ptr<const methods::LoadedDraft> draft_;
  std::string hash_;                              // of the draft model
  std::vector<std::filesystem::path> artifacts_;  // to be written
  StopTextsByTemperature texts_, tests_;
  Hasher traces_;
  std::optional<StopTrainingWork> work_;
  int number_ = 0;  // of the next training
  std::vector<DiscoFinding> findings_;
};

}  // namespace outrider::train
