#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <vector>

#include "tests/data/random_store.h"
#include "tests/train/toy_objective.h"
#include "train/trainer/trainer.h"
#include "train/trainer/validation_traces.h"

namespace outrider::test {

/// What a run of the toy objective takes: traces, a part of them to validate on, and options for twenty steps.
class ToyTraining : public testing::Test {
 protected:
  ToyTraining() { options_.schedule = {.peak = 0.01, .floor = 0.1, .warm_up = 3, .steps = 20}; }

  train::TraceMix mix() const {
    return {stores_, {.seed = 5, .subset = data::Subset::kTrain, .split = split_}};
  }

  RandomStore store_{{}, {60, 8, 1, 1}};
  std::vector<data::TraceStore> stores_ = {data::TraceStore(store_.path)};
  data::SplitOptions split_{.seed = 1, .validation = 0.2, .test = 0};
  std::vector<data::Trace> validation_ = train::validation_traces(stores_, split_, 20);
  train::TrainingOptions options_;
};

}  // namespace outrider::test
