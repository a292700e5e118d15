#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "tests/programs/expect_refusal.h"
#include "tests/programs/shell.h"
#include "tests/programs/training_shell.h"
#include "tests/support/tiny_llama.h"

namespace outrider::test {
namespace {

using Json = nlohmann::json;

/// Of the classifiers in `train disco --json`; what is chosen with them depends on times besides.
std::vector<double> training_losses(const std::string& text) {
  std::vector<double> losses;
  for (const Json& found : Json::parse(text)["found"]) losses.push_back(found["training_loss"]);
  return losses;
}

/// A shell with a tiny model's traces, greedy ones in `greedy` and sampled ones in `sampled`.
class TrainDraft : public TrainingShell {
 protected:
  void SetUp() override {
    if (!Shell::has_train()) GTEST_SKIP() << "train/ is not built";
    record(24, {{"greedy", ""}, {"sampled", "--temperature 1 --samples 2"}});
  }

  static constexpr const char* kTrain =
      "\"$train\" draft -m $tiny --data greedy sampled --validation 0.3 --validate-every 3 --batch "
      "2 "
      "-t 1 --artifacts a.h5 ";
  static constexpr const char* kUsual = "--vocab-size 100 --steps 8 ";

  Outcome train(const std::string& arguments, const std::string& size = kUsual) const {
    return shell_.run(kTrain + size + arguments);
  }
};

TEST_F(TrainDraft, WritesADraftMetricsAndCurves) {
  const Outcome outcome = train("--work w");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.err.find("finished after 8 of 8 steps"), std::string::npos) << outcome.err;
  EXPECT_NE(shell_.read("w/curves.svg").find("Loss per token"), std::string::npos);
  std::istringstream metrics(shell_.read("w/metrics.jsonl"));
  int steps = 0, validations = 0;
  for (std::string line; std::getline(metrics, line);)
    ++(Json::parse(line).contains("loss") ? steps : validations);
  EXPECT_EQ(steps, 8);
  EXPECT_EQ(validations, 4);  // before the first step, after 3, 6 and 8
  EXPECT_NE(shell_.run("\"$runtime\" inspect a.h5").out.find("/draft"), std::string::npos);
  const Outcome decoded =
      shell_.run("\"$runtime\" decode -m $tiny -p hi -n 8 --method ssd --artifacts a.h5 --check");
  EXPECT_EQ(decoded.status, 0) << decoded.err;
  EXPECT_NE(shell_.run("\"$runtime\" inspect a.h5").out.find("quantise = \"q8_0\""),
            std::string::npos);
  const auto size = [&] { return std::filesystem::file_size(shell_.path() / "a.h5"); };
  const auto larger = size();
  const Outcome finished = train("--work w --finish --quantise q4_1");
  EXPECT_EQ(finished.status, 0) << finished.err;
  EXPECT_LT(size(), larger);
  const Outcome smaller =
      shell_.run("\"$runtime\" decode -m $tiny -p hi -n 8 --method ssd --artifacts a.h5 --check");
  EXPECT_EQ(smaller.status, 0) << smaller.err;
  EXPECT_NE(shell_.run("\"$runtime\" inspect a.h5").out.find("quantise = \"q4_1\""),
            std::string::npos);
  const Outcome drawn = shell_.run("\"$source/scripts/plot_training\" w -o learning.svg");
  EXPECT_EQ(drawn.status, 0) << drawn.err;
  EXPECT_NE(drawn.out.find("w: 4 validations, best score "), std::string::npos) << drawn.out;
  EXPECT_NE(shell_.read("learning.svg").find("<polyline"), std::string::npos);
  const std::string text = shell_.run("\"$train\" inspect w").out;
  EXPECT_NE(text.find("8 of 8"), std::string::npos) << text;
  EXPECT_NE(text.find(inspect("w")["weights_hash"].get<std::string>()), std::string::npos) << text;
}

TEST_F(TrainDraft, TakesWhatIsNotGivenFromTheRun) {
  ASSERT_EQ(train("--work w --quiet --layers 2 1 --hard-share 0.25 --loss both").status, 0);
  const std::string bare = "\"$train\" draft -m $tiny --artifacts b.h5 --quiet ";
  expect_finish_of_w(bare, "--hard-share 0.5", "0.25, found 0.5; leave it out");
  // An earlier draft's layers are in the checkpoint alone.
  ASSERT_EQ(train("--work v --quiet --start-from w").status, 0);
  ASSERT_EQ(shell_.run("mv w elsewhere").status, 0);
  const Outcome of_started = shell_.run(bare + "--work v --finish");
  EXPECT_EQ(of_started.status, 0) << of_started.err;
  // A run that goes on needs its traces, and nothing else of what it was told.
  ASSERT_EQ(train("--work u --quiet --loss both --minutes 0.000001 --layers 2").status, 0);
  const Outcome resumed = shell_.run(bare + "--data greedy sampled -t 1 --work u");
  EXPECT_EQ(resumed.status, 0) << resumed.err;
  EXPECT_EQ(inspect("u")["step"], 8);
  EXPECT_EQ(inspect("u")["identity"]["objective"]["layers"], Json({2}));
}

TEST_F(TrainDraft, ComparesItsRateWithThePeakOfItsPrecision) {
  for (const std::string precision : {"f32", "bf16"}) {
    const Outcome outcome =
        train(fmt::format("--work {0} --precision {0}", precision), "--vocab-size 100 --steps 2 ");
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_NE(outcome.err.find("; " + precision + " products reach "), std::string::npos)
        << outcome.err;
    const double share = inspect(precision)["last"]["step"]["peak_share"].get<double>();
    EXPECT_GT(share, 0);
    EXPECT_LE(share, 1.2);
  }
}

TEST_F(TrainDraft, EndsInTheSameBitsAfterKillsAndMoves) {
  ASSERT_EQ(train("--work w --quiet").status, 0);
  const Json straight = inspect("w");
  // Out of time after every step, so that each start continues from a checkpoint.
  for (int start = 0; start < 3; ++start)
    ASSERT_EQ(train("--work v --minutes 0.000001 --quiet").status, 0);
  EXPECT_EQ(inspect("v")["step"], 1);
  const Outcome killed = train(
      "--work v --checkpoint-minutes 0 --quiet & pid=$!; wait_for v/metrics.jsonl "
      "gradient_norm 3; kill -KILL $pid; wait $pid");
  EXPECT_TRUE(killed.status == 137 || killed.status == 0) << killed.err;
  ASSERT_EQ(shell_.run("mv v moved").status, 0);
  ASSERT_EQ(train("--work moved --quiet").status, 0);
  const Json resumed = inspect("moved");
  EXPECT_EQ(resumed["state_hash"], straight["state_hash"]);
  EXPECT_EQ(resumed["weights_hash"], straight["weights_hash"]);
  EXPECT_EQ(resumed["tokens"], straight["tokens"]);
}

TEST_F(TrainDraft, SavesOnAnInterrupt) {
  const Outcome outcome = train(
      "--work w --quiet & pid=$!; wait_for w/metrics.jsonl gradient_norm 2; kill -INT $pid; wait "
      "$pid",
      "--vocab-size 100 --steps 100000 ");
  EXPECT_EQ(outcome.status, 130) << outcome.err;
  EXPECT_GE(inspect("w")["step"], 2);
  EXPECT_NE(shell_.run("ls a.h5").status, 0);
  ASSERT_EQ(train("--work w --finish", "--vocab-size 100 --steps 100000 ").status, 0);
  EXPECT_EQ(shell_.run("ls a.h5").status, 0);
}

TEST_F(TrainDraft, KeepsTheLastCheckpointWhenAnotherHasNoRoom) {
  ASSERT_EQ(train("--work w --quiet").status, 0);
  ASSERT_EQ(train("--work v --minutes 0.000001 --quiet").status, 0);
  const std::string before = shell_.run("sha256sum v/checkpoint.h5").out;
  // Files end at 64 KiB, and what is beyond fails to be written, as on a full disk.
  const Outcome full = shell_.run("trap '' XFSZ; ulimit -f 64; " + (kTrain + std::string(kUsual)) +
                                  "--work v --quiet");
  expect_refusal(full, "v/checkpoint.h5: cannot write: ");
  expect_refusal(full, "; the checkpoint of step 1 is kept: make room, and give the same command");
  EXPECT_EQ(shell_.run("sha256sum v/checkpoint.h5").out, before);
  EXPECT_EQ(shell_.run("ls v | grep part").out, "");
  ASSERT_EQ(train("--work v --quiet").status, 0);
  EXPECT_EQ(inspect("v")["state_hash"], inspect("w")["state_hash"]);
}

TEST_F(TrainDraft, GoesOnWithTheSameOptionsOnly) {
  ASSERT_EQ(train("--work w --quiet").status, 0);
  expect_refusal(train("--work w --learning-rate 0.5"),
                 "training/learning-rate was 0.0015 and is now 0.5; give what was given before");
  expect_refusal(train("--work w", "--vocab-size 90 --steps 8 "), "w/checkpoint.h5: objective/");
  expect_refusal(shell_.run("\"$train\" draft -m $tiny --data greedy --work w"),
                 "was trained on 2 folders of traces, now --data has 1");
  expect_refusal(shell_.run("\"$train\" draft -m $tiny --data sampled greedy --work w"),
                 "sampled: ");
  shell_.run("head -c 5000 w/checkpoint.h5 > cut && mv cut w/checkpoint.h5");
  expect_refusal(train("--work w"), "w/checkpoint.h5");
}

TEST_F(TrainDraft, WarnsOfBitsThatOtherArithmeticChanges) {
  const std::string some = "--minutes 0.000001 --precision f32 --quiet ";
  ASSERT_EQ(train("--work w " + some).status, 0);
  const Outcome same = train("--work w " + some);
  ASSERT_EQ(same.status, 0) << same.err;
  EXPECT_EQ(same.err.find("warning"), std::string::npos) << same.err;
  expect_refusal(train("--work w --precision bf16"),
                 "objective/precision was \"f32\" and is now \"bf16\"");
  std::string on_two = kTrain + std::string(kUsual) + "--work w --precision f32 --quiet";
  on_two.replace(on_two.find("-t 1"), 4, "-t 2");
  const Outcome other = shell_.run(on_two);
  EXPECT_EQ(other.status, 0) << other.err;
  EXPECT_NE(other.err.find("warning: w/checkpoint.h5: was computed with 1 threads, "),
            std::string::npos)
      << other.err;
  EXPECT_NE(other.err.find("; now with 2 threads, "), std::string::npos) << other.err;
  EXPECT_EQ(inspect("w")["step"], 8);
}

TEST_F(TrainDraft, RefusesDataWithoutATokenWithALoss) {
  // Its layers add nothing, so that it repeats its last token, and every answer is a loop.
  TinyShape shape;
  shape.head_width = 32;
  GgufWriter stuck = tiny_llama_writer(shape, 7, model::WeightType::kQ8_0);
  for (const char* name : {"blk.0.attn_output.weight", "blk.0.ffn_down.weight",
                           "blk.1.attn_output.weight", "blk.1.ffn_down.weight"})
    std::ranges::fill(stuck.tensor(name).data, std::byte{0});
  const std::vector<std::byte> bytes = stuck.bytes();
  shell_.write("stuck.gguf", {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  const Outcome made =
      shell_.run("\"$data\" traces -m stuck.gguf --prompts p.jsonl -n 12 -o loops --quiet");
  ASSERT_EQ(made.status, 0) << made.err;
  for (const std::string kind : {"draft", "parallelspec --flavour medusa-heads"})
    expect_refusal(shell_.run("\"$train\" " + kind +
                              " -m stuck.gguf --data loops --validation 0.3 --work w -t 1 "
                              "--steps 2 --artifacts a.h5"),
                   "--data: expected tokens with a loss outside of loops, found none in ");
  EXPECT_EQ(shell_.run("ls a.h5 w | grep h5").out, "");
}

TEST_F(TrainDraft, SaysWhatIsMissingForACard) {
  const std::string hidden = "CUDA_VISIBLE_DEVICES= ";
  const Outcome outcome = shell_.run(hidden + kTrain + kUsual + "--device cuda --work w");
  EXPECT_EQ(outcome.status, 2);
  EXPECT_NE(outcome.err.find("train: --device cuda:0: "), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("train with --device cpu\n"), std::string::npos) << outcome.err;
  EXPECT_FALSE(std::filesystem::exists(shell_.path() / "w"));
  const Outcome chosen = shell_.run(hidden + kTrain + kUsual + "--device auto --work w");
  EXPECT_EQ(chosen.status, 0) << chosen.err;
}

TEST_F(TrainDraft, StartsFromAnEarlierDraft) {
  ASSERT_EQ(train("--work w --quiet --layers 2 1 --quantise none").status, 0);
  const Json earlier = inspect("w");
  ASSERT_EQ(shell_.run("cp a.h5 earlier.h5").status, 0);
  // Steps of no length: the only validated weights are those that it starts from.
  const std::string still = "--steps 1 --learning-rate 0 --weight-decay 0 ";
  for (const std::string from : {"w", "w/checkpoint.h5", "earlier.h5"}) {
    ASSERT_EQ(train("--quiet --work v --start-from " + from, still).status, 0) << from;
    const Json now = inspect("v");
    EXPECT_EQ(now["best"]["step"], 0);
    EXPECT_NEAR(now["best"]["score"], earlier["best"]["score"], from == "earlier.h5" ? 1e-4 : 0);
    for (const char* kept : {"layers", "head_tokens"})
      EXPECT_EQ(now["identity"]["objective"][kept], earlier["identity"]["objective"][kept]);
    EXPECT_NE(now["identity"]["objective"]["started_from"], "");
    const std::string recipe = now["recipe"];
    EXPECT_NE(recipe.find("\nvocab-size = 100\n"), std::string::npos) << "what is used: " << recipe;
    expect_refusal(train("--work v", still), "v/checkpoint.h5: objective/");
    ASSERT_EQ(train("--work v --finish --start-from " + from, still).status, 0);
    ASSERT_EQ(shell_.run("rm -r v").status, 0);
  }
  ASSERT_EQ(train("--work v --quiet --start-from earlier.h5 --vocab-size 120", still).status, 0);
  const Json kept = earlier["identity"]["objective"]["head_tokens"],
             wider = inspect("v")["identity"]["objective"]["head_tokens"];
  EXPECT_EQ(wider.size(), 120u);
  EXPECT_TRUE(std::includes(wider.begin(), wider.end(), kept.begin(), kept.end()));
  ASSERT_EQ(train("--work v --finish --start-from earlier.h5", still).status, 0);
  ASSERT_EQ(shell_.run("rm -r v").status, 0);
  ASSERT_EQ(train("--work u --quiet --start-from w", "--steps 6 ").status, 0);
  const Json trained = inspect("u");
  ASSERT_EQ(train("--work v --quiet --start-from w --minutes 0.000001", "--steps 6 ").status, 0);
  ASSERT_EQ(train("--work v --quiet --start-from w", "--steps 6 ").status, 0);
  EXPECT_EQ(inspect("v")["state_hash"], trained["state_hash"]);
  expect_refusal(train("--work v --quiet --start-from earlier.h5", "--steps 6 "),
                 "started_from was ");
}

TEST_F(TrainDraft, StartsFromADraftOfTheTargetOnly) {
  ASSERT_EQ(train("--work w --quiet").status, 0);
  expect_refusal(train("--work v --start-from w", "--vocab-size 99 "),
                 "a draft vocabulary of 99 tokens; expected 100 to ");
  expect_refusal(train("--work v --start-from w --layers 1", ""), "--layers: expected none");
  expect_refusal(train("--work v --start-from nothing", ""), "nothing: expected a checkpoint");
  expect_refusal(train("--work v --start-from p.jsonl", ""), "p.jsonl");
  const std::string other =
      "\"$data\" traces -m $endless --prompts p.jsonl -n 4 -o endless --quiet && "
      "\"$train\" draft -m $endless --data endless --work v -t 1 --artifacts b.h5 --start-from ";
  expect_refusal(shell_.run(other + "w"), "--start-from w: expected a run for ");
  expect_refusal(shell_.run(other + "a.h5"), "a.h5");
}

TEST_F(TrainDraft, RefusesWrongData) {
  expect_refusal(shell_.run("\"$train\" draft -m $tiny --work w"), "--data: expected folders");
  expect_refusal(shell_.run("\"$train\" draft -m $endless --data greedy --work w"), "its hash is ");
  expect_refusal(shell_.run("\"$train\" draft -m $tiny --data greedy --work w --validation 0"),
                 "--data: expected prompts for validation, found none");
  expect_refusal(train("--work w --layers 3"), "--layers");
  expect_refusal(train("--work in/w --layers 3"), "--layers");
  EXPECT_EQ(shell_.run("ls -d w in").out, "") << "a refused run leaves its folder";
  expect_refusal(train("--work w --metrics p.jsonl"),
                 "--metrics p.jsonl: expected a new file, found other content");
  ASSERT_EQ(train("--work first --quiet --minutes 0.00001").status, 0);
  expect_refusal(train("--work w --metrics first/metrics.jsonl"),
                 "first/metrics.jsonl: expected a new file, found the metrics of another run");
  for (const std::string name : {"metrics.jsonl", "curves.svg"}) {
    shell_.run("rm -rf mine; mkdir mine; echo old > mine/" + name + "; touch mine/lock");
    expect_refusal(train("--work mine"),
                   "--work mine/" + name + ": expected a new file, found other content");
    EXPECT_EQ(shell_.read("mine/" + name), "old\n");
    EXPECT_TRUE(std::filesystem::exists(shell_.path() / "mine/lock"));
  }
  expect_refusal(train("--work greedy"), "would replace a file of greedy, which is read");
  EXPECT_EQ(shell_.run("ls greedy | grep -v '^shard-\\|^manifest\\|^lock$'").out, "");
  expect_refusal(train("--work w --finish"), "--finish: expected a checkpoint in w, found none");
  shell_.run("cp -r greedy copy");
  expect_refusal(shell_.run("\"$train\" draft -m $tiny --data greedy copy --work w"),
                 "--data: copy has the traces of greedy; expected every store once");
  ASSERT_EQ(
      shell_.run("\"$data\" traces -m $tiny --prompts p.jsonl -n 4 -o other --keep-top 8").status,
      0);
  expect_refusal(shell_.run("\"$train\" draft -m $tiny --data greedy other --work w"),
                 "--data: greedy has --keep-top 32, and other has 8");
  ASSERT_EQ(shell_.run("\"$data\" traces -m $tiny --prompts p.jsonl -n 4 -o floats --numerics f32")
                .status,
            0);
  expect_refusal(shell_.run("\"$train\" draft -m $tiny --data greedy floats --work w"),
                 "--data: greedy has --numerics");
}

// From traces to a classifier that ends rounds.
TEST_F(TrainDraft, DiscoIsTrainedOnTheScoresOfItsDraftModel) {
  ASSERT_EQ(train("--work w --quiet").status, 0);
  const std::string disco =
      "\"$train\" disco -m $tiny --data greedy sampled -t 1 --draft a.h5 --artifacts d.h5 ";
  expect_refusal(shell_.run(disco), "greedy: has no scores of a draft model, expected those of");
  const std::string add = "\"$data\" traces -m $tiny -t 1 --draft a.h5 --add-to ";
  expect_refusal(shell_.run(add + "greedy --seed 3"), "--seed: not with --add-to");
  const Outcome added = shell_.run(add + "greedy && " + add + "sampled");
  ASSERT_EQ(added.status, 0) << added.err;
  EXPECT_NE(added.err.find("temperature 1: "), std::string::npos) << added.err;
  EXPECT_EQ(shell_.run("\"$data\" verify greedy").status, 0);
  expect_refusal(shell_.run("\"$train\" disco -m $tiny --data greedy greedy --draft a.h5"),
                 "--data: greedy has the traces of greedy; expected every store once");
  // What its minutes had room for is kept, and it goes on from there to what it finds at one go.
  const Outcome cut = shell_.run(disco + "--minutes 0.0001 --test greedy");
  EXPECT_EQ(cut.status, 130) << cut.err;
  EXPECT_NE(cut.err.find("train disco: about "), std::string::npos) << cut.err;
  EXPECT_NE(cut.err.find("stopped after --minutes 0.0001, which are over"), std::string::npos)
      << cut.err;
  EXPECT_TRUE(std::filesystem::exists(shell_.path() / "d.h5.disco-all.part"));
  const Outcome trained = shell_.run(disco + "--plot r.svg --json j.json --test greedy");
  EXPECT_FALSE(std::filesystem::exists(shell_.path() / "d.h5.disco-all.part"));
  const auto passes_left = [](const std::string& err) {
    const std::string before = "on this machine\n  ";
    return std::stoi(err.substr(err.find(before, err.find("train disco: about ")) + before.size()));
  };
  EXPECT_EQ(passes_left(trained.err), passes_left(cut.err) - 1);
  ASSERT_EQ(shell_.run(disco + "--json whole.json --test greedy").status, 0);
  EXPECT_EQ(training_losses(shell_.read("j.json")), training_losses(shell_.read("whole.json")));
  ASSERT_EQ(trained.status, 0) << trained.err;
  EXPECT_NE(trained.out.find("classifier, temperature 1, soft labels"), std::string::npos)
      << trained.out;
  EXPECT_NE(trained.out.find("disco, temperature 0, tv labels, paper inputs"), std::string::npos)
      << trained.out;
  EXPECT_NE(shell_.read("r.svg").find("share of tokens accepted"), std::string::npos);
  const Json found = Json::parse(shell_.read("j.json"))["found"];
  ASSERT_EQ(found.size(), 22u) << "as published with both labels; both rules with the paper's "
                                  "inputs, the drawn token and the text, at 1 with soft labels too";
  const auto labels = [&found](std::size_t i) {
    return found[i]["policy"].get<std::string>() + " " + found[i]["label"].get<std::string>();
  };
  EXPECT_EQ(labels(0), "disco hard");
  EXPECT_EQ(labels(1), "disco tv");
  EXPECT_EQ(labels(2), "classifier hard");
  EXPECT_EQ(labels(3), "classifier tv");
  EXPECT_NE(found[0]["chosen"], found[1]["chosen"]) << "one of them";
  EXPECT_TRUE(found[1]["validation"]["f1_of_rules"].contains("static 5"));
  EXPECT_TRUE(found[0].contains("test"));
  EXPECT_GT(found[0]["seconds"].get<double>(), 0);
  EXPECT_EQ(found[4]["inputs"], "drawn");
  EXPECT_EQ(found[5]["inputs"], "text");
  EXPECT_EQ(found[6]["rule"], "path");
  EXPECT_TRUE(found[9].contains("test"));
  EXPECT_FALSE(found[10].contains("test")) << "no traces of that temperature";
  for (const std::string stop : {"disco", "classifier"})
    for (const std::string sampling : {"", " --temperature 1"}) {
      const Outcome decoded = shell_.run(fmt::format(
          "\"$runtime\" decode -m $tiny -p hi -n 40 -t 1 --method ssd --draft a.h5 --artifacts "
          "d.h5 --check --json - --draft-stop {}{}",
          stop, sampling));
      ASSERT_EQ(decoded.status, 0) << decoded.err;
      EXPECT_GT(Json::parse(decoded.out)["settings"]["draft_threshold"].get<double>(), 0);
    }
  // Of a set of texts, beside the one for all.
  const Outcome of_set = shell_.run(disco + "--set code");
  ASSERT_EQ(of_set.status, 0) << of_set.err;
  expect_refusal(shell_.run(disco + "--set 'my code'"),
                 "--set: expected letters, digits, dots and single dashes, found 'my code'");
  expect_refusal(shell_.run(disco + "--set ''"), "--set: expected NAME, found ''");
  const std::string by_set =
      "\"$runtime\" decode -m $tiny -p hi -n 40 -t 1 --method ssd --draft a.h5 --artifacts d.h5 "
      "--draft-stop disco --check --disco-set ";
  EXPECT_EQ(shell_.run(by_set + "code").status, 0);
  expect_refusal(shell_.run(by_set + "prose"), "found no artifact file with /disco_sets/prose");
  // Loops count, and the verification is another.
  const Outcome whole = shell_.run(
      "\"$train\" disco -m $tiny --data greedy sampled -t 1 --draft a.h5 --artifacts l.h5 --loops "
      "--verify rejection --json l.json");
  ASSERT_EQ(whole.status, 0) << whole.err;
  const Json of_all = Json::parse(shell_.read("l.json"))["found"];
  EXPECT_GT(of_all[0]["tokens"].get<int>(), found[0]["tokens"].get<int>());
  // Passes of other hardware, and a store to choose on.
  const Outcome elsewhere = shell_.run(
      "\"$train\" disco -m $tiny --data greedy --validation-data sampled greedy -t 1 --draft a.h5 "
      "--artifacts other.h5 --cost-ratio 0.5 --json o.json");
  ASSERT_EQ(elsewhere.status, 2);
  EXPECT_NE(elsewhere.err.find("temperature 1: found 0 traces to train on"), std::string::npos)
      << elsewhere.err;
  const Outcome ratio = shell_.run(
      "\"$train\" disco -m $tiny --data greedy --validation-data greedy -t 1 --draft a.h5 "
      "--artifacts other.h5 --cost-ratio 0.5 --json o.json");
  ASSERT_EQ(ratio.status, 0) << ratio.err;
  const Json per_pass = Json::parse(shell_.read("o.json"))["found"][0]["validation"];
  EXPECT_EQ(per_pass["tokens_per_second"]["plain"].get<double>(), 1);
  EXPECT_GT(per_pass["tokens_per_second"]["heuristic"].get<double>(), 0.1);
  // Of another draft model, and of another target.
  ASSERT_EQ(train("--work v --quiet", "--vocab-size 90 --steps 1 ").status, 0);
  expect_refusal(shell_.run(disco), "greedy: has scores of the draft model ");
  expect_refusal(
      shell_.run("\"$train\" disco -m $endless --data greedy --draft $tiny --artifacts e.h5"),
      "which generated greedy");
  expect_refusal(shell_.run("\"$runtime\" decode -m $tiny -p hi -n 4 --method ssd --draft a.h5 "
                            "--artifacts d.h5 --draft-stop disco"),
                 "was trained for the draft model ");
}

}  // namespace
}  // namespace outrider::test
