// train parallelspec from traces to a drafter that decodes, or that vLLM serves.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>
#include <string>
#include <utility>

#include "tests/programs/expect_refusal.h"
#include "tests/programs/parallelspec_training.h"
#include "tests/programs/shell.h"
#include "tests/support/tiny_llama.h"

namespace outrider::test {
namespace {

using Json = nlohmann::json;

TEST_F(TrainParallelSpec, TrainsEachFlavourOnStatesThatAreKeptOrNot) {
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

TEST_F(TrainParallelSpec, ReadsStatesThatTheTracesWereStoredWith) {
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

TEST_F(TrainParallelSpec, TellsTheSizeOfTheStatesBeforeComputingThem) {
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

TEST_F(TrainParallelSpec, IsCalibratedForDecodingWithoutFlags) {
  ASSERT_EQ(train("--work w --quiet").status, 0);
  const std::string calibrate = "\"$calibrate\" parallelspec -m $tiny -t 1 --artifacts a.h5 ";
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
  EXPECT_NE(inspected.out.find("calibrate parallelspec, version"), std::string::npos);
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

TEST_F(TrainParallelSpec, VariantsAreComparedByAScript) {
  const Outcome held_out = shell_.run(
      "\"$data\" traces -m $tiny --prompts p.jsonl -n 24 -o held-out --samples 2 --temperature 0 1 "
      "--quiet");
  ASSERT_EQ(held_out.status, 0) << held_out.err;
  const std::string script =
      "OUTRIDER_BIN=\"$(dirname \"$train\")\" \"$source/scripts/ablate_parallelspec\" -m $tiny -g "
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
  const Json variants = Json::parse(shell_.read("compared/variants.json"))["variants"];
  ASSERT_EQ(variants.size(), 4);
  EXPECT_EQ(variants[1]["variant"], "masks-2");
  // A token and those of its masks.
  EXPECT_EQ(variants[1]["temperatures"][0]["chains"].size(), 3);
  EXPECT_EQ(variants[0]["temperatures"][1]["chains"].size(), 5);
  const Outcome again =
      shell_.run(script + "base masks-2 shared-mask medusa-tokens" + flags + " --vocab-size 100");
  EXPECT_EQ(again.out, first.out);
  EXPECT_EQ(again.err, "");
  expect_refusal(shell_.run(script + "given"), "given: expected -a GIVEN with it");
  expect_refusal(shell_.run(script + "masks-9"), "expected a variant of: base masks-1 masks-2");
}

TEST_F(TrainParallelSpec, ADrafterForVllmIsTrainedResumedAndWritten) {
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

TEST_F(TrainParallelSpec, EndsInTheSameBitsAfterBreaks) {
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

TEST_F(TrainParallelSpec, ReadsSomeShardsOnly) {
  ASSERT_EQ(train("--most-shards 1 --cache states --cache-only --work w --quiet").status, 0);
  EXPECT_EQ(shell_.run("ls states | wc -l").out, "2\n");
  EXPECT_NE(shell_.run("ls a.h5").status, 0);
  const Outcome without = train("--cache-only --work w");
  EXPECT_EQ(without.status, 2);
  EXPECT_NE(without.err.find("expected --cache with it"), std::string::npos) << without.err;
}

}  // namespace
}  // namespace outrider::test
