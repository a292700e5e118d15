#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>
#include <string>
#include <utility>

#include "tests/programs/expect_refusal.h"
#include "tests/programs/shell.h"
#include "tests/support/tiny_llama.h"

namespace outrider::test {
namespace {

using Json = nlohmann::json;

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
  Json inspect(const std::string& work) const {
    return Json::parse(shell_.run("\"$train\" inspect " + work + " --json -").out);
  }

  Shell shell_;
};

TEST_F(TrainParallel, TrainsEachFlavourOnStatesThatAreKeptOrNot) {
  const Outcome kept = train("--cache states --work kept");
  ASSERT_EQ(kept.status, 0) << kept.err;
  EXPECT_NE(kept.err.find("MB in all"), std::string::npos) << kept.err;
  EXPECT_NE(kept.err.find("fc fitted on"), std::string::npos) << kept.err;
  ASSERT_EQ(train("--work computed --quiet").status, 0);
  EXPECT_EQ(inspect("computed")["state_hash"], inspect("kept")["state_hash"]);
  EXPECT_EQ(inspect("kept")["identity"]["objective"]["flavour"], "eagle");
  EXPECT_TRUE(inspect("kept")["last"]["validation"]["validation"].contains("tokens_per_pass_t1"));
  const Outcome at_traces = train("--cache greedy --work other");
  EXPECT_EQ(at_traces.status, 2);
  EXPECT_NE(at_traces.err.find("--cache greedy: expected a folder of its own"), std::string::npos)
      << at_traces.err;
  for (const char* inputs : {"tokens", "hidden --cache states"}) {
    const Outcome medusa =
        train(fmt::format("--flavour medusa --inputs {0} --quiet --work '{0}'", inputs));
    ASSERT_EQ(medusa.status, 0) << medusa.err;
  }
  const Outcome one_by_one =
      train_more("--vocab-size 100 --flavour eagle-ar --quiet --work ar --cache states");
  ASSERT_EQ(one_by_one.status, 0) << one_by_one.err;
  const Outcome heads =
      train("--flavour medusa-heads --quiet --quantise q4_1 --work heads --cache states");
  ASSERT_EQ(heads.status, 0) << heads.err;
  EXPECT_EQ(inspect("heads")["identity"]["objective"]["flavour"], "medusa-heads");
  const std::string groups = shell_.run("\"$runtime\" inspect a.h5").out;
  EXPECT_NE(groups.find("/parallelspec_eagle"), std::string::npos) << groups;
  EXPECT_NE(groups.find("/parallelspec_medusa"), std::string::npos) << groups;
  EXPECT_NE(groups.find("/eagle_ar"), std::string::npos) << groups;
  EXPECT_NE(groups.find("/medusa_heads"), std::string::npos) << groups;
  for (const char* method : {"eagle-ar", "medusa-heads"}) {
    for (const int temperature : {0, 1}) {
      const Outcome decoded = shell_.run(fmt::format(
          "\"$runtime\" decode -m $tiny --artifacts a.h5 --method {} --draft-threshold 0 -p hi "
          "-n 14 --temperature {} --check --json -",
          method, temperature));
      ASSERT_EQ(decoded.status, 0) << decoded.err;
      EXPECT_GT(Json::parse(decoded.out)["drafted"], 10) << method;
    }
  }
}

TEST_F(TrainParallel, ReadsStatesThatTheTracesWereStoredWith) {
  ASSERT_EQ(train("--work computed --quiet").status, 0);
  const Outcome made = shell_.run(
      "rm -r greedy && \"$data\" traces -m $tiny --prompts p.jsonl -n 12 -o greedy --store "
      "features "
      "--layers final --quiet");
  ASSERT_EQ(made.status, 0) << made.err;
  const Outcome one = train("--work one --cache states");
  ASSERT_EQ(one.status, 0) << one.err;
  EXPECT_EQ(inspect("one")["best"]["score"], inspect("computed")["best"]["score"]);
  EXPECT_EQ(inspect("one")["last"]["step"]["loss"], inspect("computed")["last"]["step"]["loss"]);
  ASSERT_EQ(
      shell_
          .run("rm -r sampled && \"$data\" traces -m $tiny --prompts p.jsonl -n 12 -o sampled "
               "--temperature 1 --store features --layers final --quiet")
          .status,
      0);
  expect_refusal(train("--work both --cache states"),
                 "--cache states: expected none, since the traces have been stored with");
  ASSERT_EQ(train("--work both --quiet").status, 0);
  EXPECT_EQ(inspect("both")["best"]["score"], inspect("computed")["best"]["score"]);
}

TEST_F(TrainParallel, TellsTheSizeOfTheStatesBeforeComputingThem) {
  /// Megabytes in all, and positions that are missing.
  const auto told = [&] {
    const Outcome filled = train("--cache states --cache-only --work w");
    EXPECT_EQ(filled.status, 0) << filled.err;
    std::smatch found;
    const std::regex size("the target's states take ([0-9.]+) MB in all; ([0-9]+) positions");
    EXPECT_TRUE(std::regex_search(filled.err, found, size)) << filled.err;
    return std::pair(found.str(1), found.size() < 3 ? 0 : std::stoi(found[2]));
  };
  const auto [megabytes, positions] = told();
  constexpr int kBytes = 64 * 2;  // the tiny model's width, in bf16
  EXPECT_EQ(megabytes, fmt::format("{:.1f}", positions * kBytes / 1e6));
  const int in_files = std::stoi(shell_.run("cat states/* | wc -c").out);
  const int files = std::stoi(shell_.run("ls states | wc -l").out);
  EXPECT_GE(in_files, positions * kBytes);
  EXPECT_LT(in_files, positions * kBytes + 5000 * files);
  ASSERT_EQ(shell_.run("rm \"states/$(ls states | head -1)\"").status, 0);
  const auto [megabytes_again, missing] = told();
  EXPECT_EQ(megabytes_again, megabytes);
  EXPECT_GT(missing, 0);
  EXPECT_LT(missing, positions);
}

TEST_F(TrainParallel, IsCalibratedForDecodingWithoutFlags) {
  ASSERT_EQ(train("--work w --quiet").status, 0);
  const std::string calibrate = "\"$calibrate\" tree -m $tiny -t 1 --artifacts a.h5 ";
  const std::string before = shell_.read("a.h5");
  // Enough to record that it is still at it when it is interrupted.
  ASSERT_EQ(shell_
                .run("\"$data\" traces -m $tiny --prompts p.jsonl -n 400 -o many --samples 16 "
                     "--temperature 1 --quiet")
                .status,
            0);
  const Outcome broken =
      shell_.run(calibrate +
                 "--data many --positions 100000 --children 64 --tree-nodes 256 2> log & "
                 "calibrate_id=$!\n"
                 "wait_for log 'drafts recorded at temperature' 1\n"
                 "kill -TERM $calibrate_id; wait $calibrate_id");
  EXPECT_EQ(broken.status, 130) << shell_.read("log");
  EXPECT_EQ(shell_.read("a.h5"), before);
  const Outcome done = shell_.run(
      calibrate + "--data sampled --positions 40 --children 3 --quiet --json found.json");
  ASSERT_EQ(done.status, 0) << done.err;
  EXPECT_NE(done.out.find("Temperature 1: "), std::string::npos) << done.out;
  const Json found = Json::parse(shell_.read("found.json"));
  EXPECT_EQ(found["method"], "parallelspec-eagle");
  const Json chosen = found["temperatures"][0]["chosen"];
  const Outcome inspected = shell_.run("\"$runtime\" inspect a.h5");
  EXPECT_NE(inspected.out.find("/trials/parallelspec-eagle"), std::string::npos) << inspected.out;
  EXPECT_NE(inspected.out.find("calibrate tree, version"), std::string::npos);
  EXPECT_NE(inspected.out.find("--draft-length " + chosen["draft_length"].dump()),
            std::string::npos)
      << inspected.out;
  const Outcome decoded = shell_.run(
      "\"$runtime\" decode -m $tiny -t 1 --artifacts a.h5 --costs stored --method "
      "parallelspec-eagle "
      "-p hi -n 12 --temperature 1 --check --json -");
  ASSERT_EQ(decoded.status, 0) << decoded.err;
  const Json used = Json::parse(decoded.out)["settings"];
  EXPECT_EQ(used["tree"], chosen["tree"]);
  EXPECT_EQ(used["draft_threshold"], chosen["draft_threshold"]);
  const double speed_up = chosen["tokens_per_second"].get<double>() /
                          found["temperatures"][0]["plain_tokens_per_second"].get<double>();
  const bool pays = speed_up >= 1.1;
  EXPECT_EQ(used["draft_length"], pays ? chosen["draft_length"] : Json(0));
  const Outcome given = shell_.run(
      "\"$runtime\" decode -m $tiny -t 1 --artifacts a.h5 --costs stored --method "
      "parallelspec-eagle "
      "-p hi -n 12 --temperature 1 --tree 2,2 --draft-threshold 0 --check --json -");
  ASSERT_EQ(given.status, 0) << given.err;
  EXPECT_EQ(Json::parse(given.out)["settings"]["tree"], "2,2");
  EXPECT_GT(Json::parse(given.out)["drafted"], 20);
}

TEST_F(TrainParallel, StartsFromAnEarlierDrafter) {
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
  const std::string other = "--work u --start-from ";
  expect_refusal(train_more(other + "w --masks 3"), "--masks: expected none with --start-from");
  expect_refusal(train_more(other + "w --flavour medusa"), "expected a run of --flavour medusa");
  expect_refusal(train_more(other + "earlier.h5 --flavour medusa"), "no /parallelspec_medusa");
  expect_refusal(train_more(other + "nothing"), "nothing: expected a checkpoint");
  for (const char* const flags : {"--flavour medusa", "--feature-weight 0"})
    expect_refusal(train(std::string("--work u --token-weight 0 ") + flags),
                   "--token-weight: expected a number above 0");
}

/// The value of an option in the record of a run, as TOML; "none" where it has none.
std::string recorded(const Json& run, const std::string& option) {
  const std::string recipe = run["recipe"];
  const std::string key = "\n" + option + " = ";
  const std::size_t line = recipe.find(key);
  if (line == std::string::npos) return "none";
  const std::size_t value = line + key.size();
  return recipe.substr(value, recipe.find('\n', value) - value);
}

TEST_F(TrainParallel, RecordsWhatWasUsed) {
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

TEST_F(TrainParallel, ThePapersPresetIsItsRecipe) {
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

TEST_F(TrainParallel, EagleStartsFromEagleArAndTheOtherWayRound) {
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

TEST_F(TrainParallel, VariantsAreComparedByAScript) {
  const Outcome held_out = shell_.run(
      "\"$data\" traces -m $tiny --prompts p.jsonl -n 24 -o held-out --samples 2 --temperature 0 1 "
      "--quiet");
  ASSERT_EQ(held_out.status, 0) << held_out.err;
  const std::string script =
      "OUTRIDER_BIN=\"$(dirname \"$train\")\" \"$source/scripts/ablate_parallel\" -m $tiny -g "
      "greedy -s "
      "sampled -x held-out -o compared -n 4 ";
  const std::string flags = " -- --validation 0.3 --batch 2 --groups 4";
  const Outcome first =
      shell_.run(script + "base masks-2 shared-mask medusa-tokens" + flags + " --vocab-size 100");
  ASSERT_EQ(first.status, 0) << first.err;
  for (const auto& [name, masks] : {std::pair{"base", 4}, {"masks-2", 2}, {"medusa-tokens", 4}})
    EXPECT_EQ(inspect(std::string("compared/") + name + "/work")["identity"]["objective"]["masks"],
              masks);
  EXPECT_EQ(inspect("compared/shared-mask/work")["identity"]["objective"]["shared_mask"], true);
  // A line a variant, of seven columns; what is done is not done again.
  const std::regex line("\nshared-mask +[0-9.]+ +[0-9.]+ +[0-9.]+ +[0-9.]+ +[0-9.]+ +[0-9.]+\n");
  EXPECT_TRUE(std::regex_search(first.out, line)) << first.out;
  const Outcome again =
      shell_.run(script + "base masks-2 shared-mask medusa-tokens" + flags + " --vocab-size 100");
  EXPECT_EQ(again.out, first.out);
  EXPECT_EQ(again.err, "");
  expect_refusal(shell_.run(script + "given"), "given: expected -a GIVEN with it");
  expect_refusal(shell_.run(script + "masks-9"), "expected a variant of: base masks-2");
}

TEST_F(TrainParallel, HeadsStartFromEarlierOnes) {
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

TEST_F(TrainParallel, ADrafterForVllmIsTrainedResumedAndWritten) {
  write_tiny_llama(shell_.path(), "deep.gguf", {.layers = 5, .head_width = 32}, 7,
                   model::WeightType::kQ8_0);
  ASSERT_EQ(shell_
                .run("\"$data\" traces -m deep.gguf --prompts p.jsonl -n 12 -o deep --samples 2 "
                     "--temperature 0 1 --quiet")
                .status,
            0);
  const auto train_deep = [&](const std::string& arguments) {
    return shell_.run(
        "\"$train\" parallelspec -m deep.gguf --data deep --validation 0.3 --validate-every 3 "
        "--batch 2 --groups 4 -t 1 --steps 6 --export-shape vllm " +
        arguments);
  };
  const std::string shape = "--masks 2 --vocab-size 100 --state-layers 1 2 4 ";
  const Outcome kept = train_deep(shape + "--cache states --work w");
  ASSERT_EQ(kept.status, 0) << kept.err;
  EXPECT_NE(kept.err.find("--finish with --out DIR writes it"), std::string::npos) << kept.err;
  const Json objective = inspect("w")["identity"]["objective"];
  EXPECT_EQ(objective["exported"], Json({{"layers", {1, 2, 4}}, {"mask_token", 2}}));
  EXPECT_TRUE(inspect("w")["last"]["validation"]["validation"].contains("tokens_per_pass_t1"));
  for (int start = 0; start < 2; ++start)
    ASSERT_EQ(train_deep(shape + "--work v --minutes 0.000001 --quiet").status, 0);
  EXPECT_EQ(inspect("v")["step"], 1);
  ASSERT_EQ(train_deep(shape + "--work v --quiet --out drafter").status, 0);
  EXPECT_EQ(inspect("v")["state_hash"], inspect("w")["state_hash"]);
  ASSERT_EQ(train_deep(shape + "--work w --finish --quiet --out again").status, 0);
  EXPECT_EQ(shell_.run("ls drafter; diff -r drafter again; ls *.h5 checkpoints").out,
            "config.json\nmodel.safetensors\n");
  const Json config = Json::parse(shell_.read("drafter/config.json"));
  EXPECT_EQ(config["speculators_config"]["proposal_methods"][0]["speculative_tokens"], 3);
  EXPECT_EQ(config["eagle_aux_hidden_state_layer_ids"], Json({1, 2, 4}));
  EXPECT_EQ(config["draft_vocab_size"], 100);

  // Steps of no length: the only validated weights are those that it starts from.
  const std::string still = "--quiet --learning-rate 0 --weight-decay 0 --work u --start-from ";
  ASSERT_EQ(train_deep(still + "w").status, 0);
  EXPECT_EQ(inspect("u")["best"]["score"], inspect("w")["best"]["score"]);
  EXPECT_EQ(inspect("u")["identity"]["objective"]["exported"], objective["exported"]);

  const std::string other = "--work x ";
  expect_refusal(train_deep(other + "--state-layers 1 2 5"),
                 "--state-layers: expected 3 layers in ascending order from 1 to 4");
  expect_refusal(train_deep(other), "found 2, 2, 2");
  expect_refusal(train_deep(other + "--finish"), "--finish: expected --out with --export-shape");
  expect_refusal(train_deep(other + "--out deep"), "expected a folder of its own");
  expect_refusal(train_deep(other + "--start-from w --vocab-size 90"),
                 "--vocab-size: expected none with --start-from");
  const std::string plain =
      "\"$train\" parallelspec -m deep.gguf --data deep --validation 0.3 --steps 1 --work y "
      "--artifacts "
      "y.h5 -t 1 ";
  ASSERT_EQ(shell_.run(plain + "--vocab-size 100 --quiet").status, 0);
  expect_refusal(train_deep(other + "--start-from y"), "expected a run with --export-shape");
  expect_refusal(train_deep(other + "--start-from y.h5"), "found an artifact file");
  ASSERT_EQ(shell_.run("mv y z").status, 0);
  expect_refusal(shell_.run(plain + "--start-from w"), "expected a run without --export-shape");
}

TEST_F(TrainParallel, EndsInTheSameBitsAfterBreaks) {
  ASSERT_EQ(train("--cache states --work w --quiet").status, 0);
  for (int start = 0; start < 3; ++start)
    ASSERT_EQ(train("--cache states --work v --minutes 0.000001 --quiet").status, 0);
  EXPECT_EQ(inspect("v")["step"], 1);
  const Outcome killed = train(
      "--cache states --work v --checkpoint-minutes 0 --quiet & pid=$!; wait_for v/metrics.jsonl "
      "gradient_norm 3; kill -KILL $pid; wait $pid");
  EXPECT_TRUE(killed.status == 137 || killed.status == 0) << killed.err;
  ASSERT_EQ(train("--work v --quiet").status, 0);
  EXPECT_EQ(inspect("v")["state_hash"], inspect("w")["state_hash"]);
  ASSERT_EQ(train("--work v --finish --quantise none --quiet").status, 0);
  EXPECT_NE(shell_.run("\"$runtime\" inspect a.h5").out.find("quantise = \"none\""),
            std::string::npos);
}

TEST_F(TrainParallel, TakesWhatIsNotGivenFromTheRun) {
  const std::string bare = "\"$train\" parallelspec -m $tiny --artifacts b.h5 --quiet ";
  ASSERT_EQ(train("--feed-forward 32 --feature-weight 0.5 --slot-decay 0.6 --no-final-norm --work "
                  "w --quiet")
                .status,
            0);
  const Outcome finished = shell_.run(bare + "--work w --finish --quantise q4_1");
  ASSERT_EQ(finished.status, 0) << finished.err;
  EXPECT_NE(shell_.run("\"$runtime\" inspect b.h5").out.find("quantise = \"q4_1\""),
            std::string::npos);
  expect_refusal(shell_.run(bare + "--work w --finish --masks 3"),
                 "--masks: not with --finish, which does not train: the run in w was trained with "
                 "2, found 3; leave it out");
  // The shape of an earlier drafter is in the checkpoint; a preset's values are in the recipe.
  ASSERT_EQ(train_more("--work v --quiet --start-from w").status, 0);
  ASSERT_EQ(train("--work u --quiet --preset paper --flavour medusa").status, 0);
  ASSERT_EQ(shell_.run("mv w elsewhere").status, 0);
  for (const std::string work : {"u", "v"}) {
    const Outcome of_run = shell_.run(bare + "--finish --work " + work);
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

TEST_F(TrainParallel, LearnsMoreSlowlyForAWiderTarget) {
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

TEST_F(TrainParallel, ReadsSomeShardsOnly) {
  ASSERT_EQ(train("--most-shards 1 --cache states --cache-only --work w --quiet").status, 0);
  EXPECT_EQ(shell_.run("ls states | wc -l").out, "2\n");
  EXPECT_NE(shell_.run("ls a.h5").status, 0);
  const Outcome without = train("--cache-only --work w");
  EXPECT_EQ(without.status, 2);
  EXPECT_NE(without.err.find("expected --cache with it"), std::string::npos) << without.err;
}

}  // namespace
}  // namespace outrider::test
