#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "calibrate/gsd/gsd_trial.h"
#include "calibrate/gsd/redundancy.h"
#include "calibrate/gsd/stretch_record.h"
#include "calibrate/gsd/tree_recorder.h"
#include "calibrate/studies/drafter_study.h"
#include "calibrate/studies/thread_options.h"
#include "runtime/cost/cost_model.h"
#include "runtime/sampling/head_vocabulary.h"

namespace outrider::calibrate {

/// What `calibrate gsd` found out at one temperature.
struct GsdAtTemperature {
  cost::TemperatureTrials tsd, gsd;  // with the speeds of this machine
  std::int64_t cut = 0;              // recorded trees that reached the limit of nodes
  std::vector<Redundancy> redundancy;

  cost::TemperatureTrials& trials(bool merges) { return merges ? gsd : tsd; }
  const cost::TemperatureTrials& trials(bool merges) const { return merges ? gsd : tsd; }
  /// Of the best graph.
  double speed_up() const;
};

/// The best of trees or graphs that were priced, as decoding chooses.
const cost::Trial& best_graph(const cost::TemperatureTrials& priced);

/// What `calibrate gsd` found out.
struct GsdFindings {
  std::string draft;  // the draft model's name
  cost::DraftingCost drafting;
  int context = 0;
  std::vector<GsdAtTemperature> by_temperature;
  std::string cost_origin;
  RecordingLimits recording;
  int vocabulary = 0;  // tokens that the draft model can propose
};

/// The trials of tsd, or of gsd, which merges.
cost::Trials trials_of(const GsdFindings& found, bool merges);

struct GsdStudyOptions {
  int positions = 2000;  // of each temperature
  RecordingLimits recording;
};

/// The fastest trees and graphs of a draft model: its trees are recorded at positions of the traces, and every setting is
/// replayed on them.
class GsdStudy {
 public:
  /// Reads all that it is about. @param target, drafter, options, watch  must outlive it
  /// @throws InputError where there is no draft model, or its traces are another target's
  GsdStudy(inference::Target& target, const DrafterStudyOptions& drafter,
           const GsdStudyOptions& options, Watch& watch);

  /// Finds them and writes the trials of tsd and gsd. @throws Interrupted, and PartDone where this process has a share
  GsdFindings run();

 private:
  void measure();
  sampling::HeadVocabulary vocabulary();
  draft::NodeRanking ranking();
  std::string settings_of(double temperature) const;
  void record(double temperature, const std::vector<const Answer*>& some);
  void search(double temperature, std::vector<StretchRecord>& records);

  const DrafterStudyOptions& drafter_;
  const GsdStudyOptions& options_;
  DrafterStudy study_;
  ThreadOptions<GsdAtTemperature, methods::LoadedDraft> with_threads_;
  std::vector<Answer> answers_;
  std::map<double, std::vector<StretchRecord>> recorded_;  // by temperature
  GsdFindings found_;
  std::optional<cost::CostModel> passes_;
};

}  // namespace outrider::calibrate
