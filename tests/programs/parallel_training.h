#pragma once

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "tests/programs/shell.h"

namespace outrider::test {

/// A shell with a tiny model's traces, greedy ones in `greedy` and sampled ones in `sampled`.
class TrainParallel : public testing::Test {
 protected:
  void SetUp() override {
    if (!Shell::has_train()) GTEST_SKIP() << "train/ is not built";
    std::string prompts;
    for (int i = 0; i < 20; ++i)
      prompts += "{\"id\": \"" + std::to_string(i) + "\", \"turns\": [\"what is " +
                 std::to_string(i * i) + "?\"]}\n";
    shell_.write("p.jsonl", prompts);
    const Outcome made = shell_.run(
        "\"$data\" traces -m $tiny --prompts p.jsonl -n 12 -o greedy --quiet && "
        "\"$data\" traces -m $tiny --prompts p.jsonl -n 12 -o sampled --temperature 1 --quiet");
    ASSERT_EQ(made.status, 0) << made.err;
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
  nlohmann::json inspect(const std::string& work) const {
    return nlohmann::json::parse(shell_.run("\"$train\" inspect " + work + " --json -").out);
  }

  Shell shell_;
};

}  // namespace outrider::test
