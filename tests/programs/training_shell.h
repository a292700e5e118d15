#pragma once

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tests/programs/expect_refusal.h"
#include "tests/programs/shell.h"

namespace outrider::test {

/// A shell in which `train` is given traces of a tiny model.
class TrainingShell : public testing::Test {
 protected:
  /// Writes so many prompts to p.jsonl, and traces of them to stores.
  /// @param stores  folders, each with more flags of `data traces`
  void record(int prompts, const std::vector<std::pair<std::string, std::string>>& stores) const {
    std::string lines;
    for (int i = 0; i < prompts; ++i)
      lines += fmt::format("{{\"id\": \"{}\", \"turns\": [\"what is {}?\"]}}\n", i, i * i);
    shell_.write("p.jsonl", lines);
    for (const auto& [folder, flags] : stores) {
      const Outcome made = shell_.run(fmt::format(
          "\"$data\" traces -m $tiny --prompts p.jsonl -n 12 -o {} {} --quiet", folder, flags));
      ASSERT_EQ(made.status, 0) << made.err;
    }
  }

  nlohmann::json inspect(const std::string& work) const {
    return nlohmann::json::parse(shell_.run("\"$train\" inspect " + work + " --json -").out);
  }

  /// That the run in w is finished without what it was told, in another type of weights, and that a flag of its training
  /// is refused then. @param command  of training, which writes b.h5, without the run
  void expect_finish_of_w(const std::string& command, const std::string& refused,
                          const std::string& why) const {
    const Outcome finished = shell_.run(command + "--work w --finish --quantise q4_1");
    ASSERT_EQ(finished.status, 0) << finished.err;
    EXPECT_NE(shell_.run("\"$runtime\" inspect b.h5").out.find("quantise = \"q4_1\""),
              std::string::npos);
    expect_refusal(shell_.run(command + "--work w --finish " + refused),
                   refused.substr(0, refused.find(' ')) +
                       ": not with --finish, which does not train: the run in w was trained with " +
                       why);
  }

  Shell shell_;
};

}  // namespace outrider::test
