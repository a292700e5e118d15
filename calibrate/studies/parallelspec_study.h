#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "calibrate/parallelspec/level_recorder.h"
#include "calibrate/parallelspec/parallelspec_search.h"
#include "calibrate/studies/drafter_study.h"
#include "calibrate/studies/thread_options.h"
#include "runtime/cost/cost_model.h"

namespace outrider::calibrate {

/// What was tried at a temperature, with the speeds of this machine.
struct ParallelSpecAtTemperature : cost::TemperatureTrials {
  cost::Preference preference;  // of the method

  const cost::Trial& chosen() const { return *best(kParallelSpecNames, {}, preference); }
  double speed_up() const { return cost::TemperatureTrials::speed_up(chosen()); }
};

/// What `calibrate parallelspec` found out.
struct ParallelSpecFindings {
  std::string draft;   // the drafter's file
  std::string method;  // that drafts with it
  cost::DraftingCost drafting;
  int context = 0;  // tokens before passes
  std::string cost_origin;
  std::vector<ParallelSpecAtTemperature> by_temperature;
};

struct ParallelSpecStudyOptions {
  draft::ParallelSpecModel::Flavour flavour = draft::ParallelSpecModel::Flavour::kEagle;
  int positions = 10'000;  // of each temperature
  ParallelSpecLimits limits = {.depths = 8, .children = 8, .nodes = 64};
  std::optional<double> follow_weight;  // as of runtime decode
};

/// The fastest trees of a parallel drafter: the best tokens of each depth are recorded at positions of the traces, and trees
/// are replayed on them.
class ParallelSpecStudy {
 public:
  /// Reads all that it is about. @param target, drafter, options, watch  must outlive it
  /// @throws InputError where there is no drafter, or its traces are another target's
  ParallelSpecStudy(inference::Target& target, const DrafterStudyOptions& drafter,
                    const ParallelSpecStudyOptions& options, Watch& watch);

  /// Finds them and writes the method's trials. @throws Interrupted, and PartDone where this process has a share
  ParallelSpecFindings run();

 private:
  const draft::ParallelSpecModel& model() const { return *with_threads_.most()->model; }
  void measure();
  double time_choices();
  void record(double temperature, const std::vector<const Answer*>& some);
  void search(double temperature, const std::vector<RecordedLevels>& recorded);

  const DrafterStudyOptions& drafter_;
  const ParallelSpecStudyOptions& options_;
  DrafterStudy study_;
  ThreadOptions<ParallelSpecAtTemperature, methods::LoadedParallelSpec> with_threads_;
  ParallelSpecLimits limits_;
  std::vector<Answer> answers_;
  std::map<double, std::vector<RecordedLevels>> recorded_;  // by temperature
  ParallelSpecFindings found_;
  std::optional<cost::CostModel> passes_;
};

}  // namespace outrider::calibrate
