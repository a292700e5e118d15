// The options of a run of train parallelspec: those given, those of a preset, of an earlier drafter, and of the run that it
// continues.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/programs/expect_refusal.h"
#include "tests/programs/parallelspec_training.h"
#include "tests/programs/shell.h"
#include "tests/support/tiny_llama.h"

namespace outrider::test {
namespace {

using Json = nlohmann::json;

/// The value of an option in the record of a run, as TOML; "none" where it has none.
std::string recorded(const Json& run, const std::string& option) {
  const std::string recipe = run["recipe"];
  const std::string key = "\n" + option + " = ";
  const std::size_t line = recipe.find(key);
  if (line == std::string::npos) return "none";
  const std::size_t value = line + key.size();
  return recipe.substr(value, recipe.find('\n', value) - value);
}

TEST_F(TrainParallelSpec, StartsFromAnEarlierDrafter) {
  ASSERT_EQ(train("--work w --quiet --quantise none").status, 0);
  const Json earlier = inspect("w");
  ASSERT_EQ(shell_.run("cp a.h5 earlier.h5").status, 0);
  // Steps of no length: the only validated weights are those that it starts from.
  const std::string still = " --quiet --work v --learning-rate 0 --weight-decay 0 --start-from ";
  for (const std::string from : {"w", "w/checkpoint.h5", "earlier.h5"}) {
    ASSERT_EQ(train_more(still + from).status, 0) << from;
    const Json now = inspect("v");
    EXPECT_EQ(now["best"]["step"], 0);
    EXPECT_NEAR(now["best"]["score"], earlier["best"]["score"], from == "earlier.h5" ? 1e-4 : 0);
    for (const char* kept : {"masks", "head_tokens", "final_norm"})
      EXPECT_EQ(now["identity"]["objective"][kept], earlier["identity"]["objective"][kept]);
    ASSERT_EQ(shell_.run("rm -r v").status, 0);
  }
  ASSERT_EQ(train_more(still + "earlier.h5 --vocab-size 120").status, 0);
  EXPECT_EQ(inspect("v")["identity"]["objective"]["head_tokens"].size(), 120u);
  expect_refusal(train_more(still + "w"), "v/checkpoint.h5: objective/");
  ASSERT_EQ(shell_.run("rm -r v").status, 0);
  // A wider layer drafts as the earlier one before its first step.
  const Outcome narrow = train("--work n --quiet --quantise none --feed-forward 20");
  ASSERT_EQ(narrow.status, 0) << narrow.err;
  ASSERT_EQ(shell_.run("cp a.h5 narrow.h5").status, 0);
  const Outcome wide = train_more(still + "narrow.h5 --quantise none --feed-forward 28");
  ASSERT_EQ(wide.status, 0) << wide.err;
  EXPECT_NEAR(inspect("v")["best"]["score"], inspect("n")["best"]["score"], 1e-4);
  EXPECT_EQ(inspect("v")["identity"]["objective"]["feed_forward"], 28);
  EXPECT_EQ(recorded(inspect("v"), "feed-forward"), "28");
  const std::string other = "--work u --start-from ";
  expect_refusal(train_more(other + "narrow.h5 --feed-forward 16"),
                 "--feed-forward: expected at least 20");
  expect_refusal(train_more(other + "w --feed-forward 16"),
                 "--feed-forward: expected none with --start-from");
  expect_refusal(train_more(other + "w --masks 3"), "--masks: expected none with --start-from");
  expect_refusal(train_more(other + "w --flavour medusa"), "expected a run of --flavour medusa");
  expect_refusal(train_more(other + "earlier.h5 --flavour medusa"), "no /parallelspec_medusa");
  expect_refusal(train_more(other + "nothing"), "nothing: expected a checkpoint");
  for (const char* const flags : {"--flavour medusa", "--feature-weight 0"})
    expect_refusal(train(std::string("--work u --token-weight 0 ") + flags),
                   "--token-weight: expected a number above 0");
}

TEST_F(TrainParallelSpec, EagleStartsFromEagleArAndTheOtherWayRound) {
  const std::string ar = "--flavour eagle-ar --quiet --quantise none --work ";
  ASSERT_EQ(train_more(ar + "w --vocab-size 100").status, 0);
  ASSERT_EQ(shell_.run("cp a.h5 earlier.h5").status, 0);
  const Json earlier = inspect("w");
  const std::string still = " --learning-rate 0 --weight-decay 0 --start-from ";
  for (const std::string from : {"w", "earlier.h5"}) {
    ASSERT_EQ(train_more(fmt::format("--quiet --quantise none --work v --masks 3{}{}", still, from))
                  .status,
              0);
    const Json eagle = inspect("v")["identity"]["objective"];
    EXPECT_EQ(eagle["flavour"], "eagle");
    EXPECT_EQ(eagle["masks"], 3);
    EXPECT_EQ(eagle["head_tokens"], earlier["identity"]["objective"]["head_tokens"]);
    for (const std::string back : {"v", "a.h5"}) {
      ASSERT_EQ(train_more(fmt::format("{}u{}{}", ar, still, back)).status, 0);
      EXPECT_NEAR(inspect("u")["best"]["score"], earlier["best"]["score"],
                  from == "w" && back == "v" ? 0 : 1e-4);
      ASSERT_EQ(shell_.run("rm -r u").status, 0);
    }
    ASSERT_EQ(shell_.run("rm -r v a.h5").status, 0);
  }
  expect_refusal(train_more("--work v --no-final-norm --start-from w"),
                 "--no-final-norm: expected none with --start-from");
  expect_refusal(train_more("--work v --flavour medusa --start-from w"),
                 "expected a run of --flavour medusa, found one of eagle-ar");
}

TEST_F(TrainParallelSpec, HeadsStartFromEarlierOnes) {
  const std::string flavour = "--flavour medusa-heads --quiet ";
  ASSERT_EQ(train(flavour + "--work w --quantise none").status, 0);
  ASSERT_EQ(shell_.run("cp a.h5 earlier.h5").status, 0);
  const Json earlier = inspect("w");
  EXPECT_EQ(earlier["identity"]["objective"]["final_norm"], false);
  for (const std::string from : {"w", "earlier.h5"}) {
    std::string again = flavour;
    again.append("--work v --learning-rate 0 --weight-decay 0 --start-from ").append(from);
    ASSERT_EQ(train_more(again).status, 0);
    const Json now = inspect("v");
    EXPECT_NEAR(now["best"]["score"], earlier["best"]["score"], 1e-4);
    EXPECT_EQ(now["identity"]["objective"]["masks"], 2);
    ASSERT_EQ(shell_.run("rm -r v").status, 0);
  }
  ASSERT_EQ(train(flavour + "--work x --minutes 0.000001").status, 0);
  ASSERT_EQ(train(flavour + "--work x").status, 0);
  EXPECT_EQ(inspect("x")["state_hash"], earlier["state_hash"]);
}

TEST_F(TrainParallelSpec, RecordsWhatWasUsed) {
  ASSERT_EQ(train("--flavour medusa --inputs tokens --quiet --work w").status, 0);
  EXPECT_EQ(recorded(inspect("w"), "inputs"), "\"tokens\"");
  const std::string still = " --quiet --learning-rate 0 --weight-decay 0 --start-from ";
  ASSERT_EQ(train_more("--flavour medusa --work v" + still + "w").status, 0);
  EXPECT_EQ(recorded(inspect("v"), "inputs"), "\"tokens\"") << "of the earlier drafter";
  EXPECT_EQ(recorded(inspect("v"), "masks"), "2");
  EXPECT_EQ(recorded(inspect("v"), "vocab-size"), "100");
  const std::string written = shell_.run("\"$runtime\" inspect a.h5").out;
  EXPECT_NE(written.find("inputs = \"tokens\""), std::string::npos) << written;
  ASSERT_EQ(train_more("--flavour eagle-ar --vocab-size 100 --quiet --work u").status, 0);
  for (const char* none : {"inputs", "masks", "slot-decay"})
    EXPECT_EQ(recorded(inspect("u"), none), "none") << none;
}

TEST_F(TrainParallelSpec, ThePapersPresetIsItsRecipe) {
  // All of a step's texts at once, and one pass over them in place of 40.
  const auto run = [&](const std::string& flags) {
    const Outcome outcome = shell_.run(
        "\"$train\" parallelspec -m $tiny --data greedy --validation 0.3 --validate-every 3 -t 1 "
        "--artifacts a.h5 --quiet --preset paper --epochs 1 " +
        flags);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return inspect("w");
  };
  const Json eagle = run("--work w");
  const Json& objective = eagle["identity"]["objective"];
  EXPECT_EQ(objective["masks"], 4);
  EXPECT_EQ(objective["groups"], 0) << "all";
  EXPECT_EQ(objective["slot_decay"], 1);
  EXPECT_EQ(objective["token_weight"], 1);
  EXPECT_EQ(objective["feature_weight"], 1);
  EXPECT_EQ(objective["hard_share"], 1);
  EXPECT_EQ(objective["hard_label"], "taken");
  const auto vocab = objective["head_tokens"].size();
  EXPECT_EQ(recorded(eagle, "vocab-size"), std::to_string(vocab)) << "all tokens";
  EXPECT_GT(vocab, 100u);
  EXPECT_EQ(recorded(eagle, "batch"), "4");
  EXPECT_EQ(recorded(eagle, "accumulate"), "8");
  EXPECT_EQ(recorded(eagle, "learning-rate"), "5e-05");
  EXPECT_EQ(recorded(eagle, "weight-decay"), "0");
  EXPECT_EQ(recorded(eagle, "beta2"), "0.95");
  EXPECT_EQ(recorded(eagle, "epochs"), "1") << "what is given is kept";
  ASSERT_EQ(shell_.run("rm -r w").status, 0);
  const Json medusa = run("--work w --flavour medusa --inputs tokens --masks 2 --vocab-size 90");
  EXPECT_EQ(medusa["identity"]["objective"]["masks"], 2);
  EXPECT_EQ(medusa["identity"]["objective"]["head_tokens"].size(), 90u);
  EXPECT_EQ(medusa["identity"]["objective"]["slot_decay"], 1);
  EXPECT_EQ(recorded(medusa, "learning-rate"), "0.0005");
  EXPECT_EQ(recorded(medusa, "beta2"), "0.999");
}

TEST_F(TrainParallelSpec, TakesWhatIsNotGivenFromTheRun) {
  const std::string bare = "\"$train\" parallelspec -m $tiny --artifacts b.h5 --quiet ";
  ASSERT_EQ(train("--feed-forward 32 --feature-weight 0.5 --slot-decay 0.6 --no-final-norm --work "
                  "w --quiet")
                .status,
            0);
  expect_finish_of_w(bare, "--masks 3", "2, found 3; leave it out");
  // The shape of an earlier drafter is in the checkpoint; a preset's values are in the recipe.
  ASSERT_EQ(train_more("--work v --quiet --start-from w").status, 0);
  ASSERT_EQ(train("--work u --quiet --preset paper --flavour medusa").status, 0);
  ASSERT_EQ(shell_.run("mv w elsewhere").status, 0);
  for (const std::string work : {"u", "v"}) {
    const Outcome of_run = shell_.run(std::string{bare}.append("--finish --work ").append(work));
    EXPECT_EQ(of_run.status, 0) << of_run.err;
  }
  ASSERT_EQ(train("--slot-decay 0.7 --minutes 0.000001 --work t --quiet").status, 0);
  const Outcome resumed = shell_.run(bare + "--data greedy sampled -t 1 --work t");
  EXPECT_EQ(resumed.status, 0) << resumed.err;
  EXPECT_EQ(inspect("t")["step"], 6);
  EXPECT_EQ(inspect("t")["identity"]["objective"]["slot_decay"], 0.7);
  expect_refusal(shell_.run(bare + "--data greedy sampled -t 1 --work t --slot-decay 0.8"),
                 "objective/slot_decay was 0.7 and is now 0.8");
}

TEST_F(TrainParallelSpec, LearnsMoreSlowlyForAWiderTarget) {
  TinyShape shape;
  shape.layers = 1;
  shape.width = 1152;
  const std::vector<std::byte> bytes =
      tiny_llama_writer(shape, 7, model::WeightType::kQ8_0).bytes();
  shell_.write("wide.gguf", {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  ASSERT_EQ(
      shell_.run("\"$data\" traces -m wide.gguf --prompts p.jsonl -n 8 -o wide --quiet").status, 0);
  const std::string command =
      "\"$train\" parallelspec -m wide.gguf --data wide --validation 0.3 --vocab-size 100 "
      "--feed-forward 32 --batch 2 --groups 4 --steps 1 -t 1 --artifacts a.h5 --work ";
  const Outcome usual = shell_.run(command + "w");
  ASSERT_EQ(usual.status, 0) << usual.err;
  EXPECT_NE(usual.err.find("--learning-rate 0.0005: 0.001 for a width of 576, here it is 1152"),
            std::string::npos)
      << usual.err;
  EXPECT_EQ(inspect("w")["identity"]["training"]["learning-rate"], 0.0005);
  EXPECT_EQ(recorded(inspect("w"), "learning-rate"), "0.0005");
  const Outcome again = shell_.run(command + "w");
  EXPECT_EQ(again.status, 0) << again.err;
  const Outcome given = shell_.run(command + "v --learning-rate 0.001");
  ASSERT_EQ(given.status, 0) << given.err;
  EXPECT_EQ(inspect("v")["identity"]["training"]["learning-rate"], 0.001);
}

}  // namespace
}  // namespace outrider::test
