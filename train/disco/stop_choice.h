#pragma once

#include <string>
#include <vector>

#include "train/disco/choose_stops.h"

namespace outrider::train {

/// Which classifiers `train disco` trains besides DISCO as published; of several it keeps the one that is predicted to be
/// the fastest.
struct StopChoice {
  std::string label = "faster";
  std::string inputs = "faster";
  std::string rule = "faster";
  std::string verify = "coupled";

  /// The trainings to try at a temperature.
  std::vector<StopTraining> trainings(double temperature) const;
  /// Those of DISCO as published, whatever --inputs and --rule say: with each of the paper's two labels, or with the one
  /// that --label names.
  std::vector<StopTraining> published() const;
};

}  // namespace outrider::train
