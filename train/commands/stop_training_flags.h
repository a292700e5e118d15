#pragma once

#include <string>
#include <vector>

#include "runtime/cli/command_options.h"
#include "train/disco/choose_stops.h"

namespace outrider::train {

/// Which classifiers `train disco` trains; of several it keeps the one that is predicted to be the fastest.
struct StopTrainingFlags {
  std::string label = "faster";
  std::string inputs = "faster";
  std::string rule = "faster";
  std::string verify = "coupled";

  /// The trainings to try at a temperature.
  std::vector<StopTraining> trainings(double temperature) const;
};

/// Adds --label, --inputs, --rule and --verify.
void declare_stop_training_flags(cli::CommandOptions& command, StopTrainingFlags& flags);

}  // namespace outrider::train
