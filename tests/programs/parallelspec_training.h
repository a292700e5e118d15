#pragma once

#include <string>

#include "tests/programs/training_shell.h"

namespace outrider::test {

/// A shell with a tiny model's traces, greedy ones in `greedy` and sampled ones in `sampled`.
class TrainParallelSpec : public TrainingShell {
 protected:
  void SetUp() override {
    if (!Shell::has_train()) GTEST_SKIP() << "train/ is not built";
    record(20, {{"greedy", ""}, {"sampled", "--temperature 1"}});
  }

  Outcome train(const std::string& arguments) const {
    return train_more("--masks 2 --vocab-size 100 " + arguments);
  }
  /// Without what --start-from keeps.
  Outcome train_more(const std::string& arguments) const {
    return shell_.run(
        "\"$train\" parallelspec -m $tiny --data greedy sampled --validation 0.3 "
        "--validate-every 3 --batch 2 --groups 4 -t 1 --artifacts a.h5 --steps 6 " +
        arguments);
  }
};

}  // namespace outrider::test
