// Flags that only have an effect together with others are refused without them.

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/programs/expect_refusal.h"

namespace outrider::test {
namespace {

struct Refused {
  std::string command, message;
};

TEST(FlagsWithoutEffect, AreRefusedWithTheCure) {
  const Shell shell;
  shell.write("p.jsonl", "{\"id\": \"a\", \"turns\": [\"hi\"]}\n");
  const std::string ssd = "\"$runtime\" decode -m $tiny -p hi --method ssd --draft $tiny ";
  for (const auto& [command, message] : std::vector<Refused>{
           {"\"$runtime\" decode -m $tiny -p hi --min-span 3", "--min-span: only with --attribute"},
           {ssd + "--draft-stop static --draft-threshold 0.5",
            "--draft-threshold: not used by --draft-stop static, only by confidence, path, "
            "disco and classifier"},
           {ssd + "--copy-min-speed-up 2", "--copy-min-speed-up: only with --copy-first"},
           {ssd + "--reference p.jsonl", "--reference: only with --copy-first"},
           {"\"$runtime\" decode -m $tiny -p hi --method pld --published --reference p.jsonl",
            "--reference: not with --published"},
           {"\"$runtime\" decode -m $tiny -p hi --method context-ngram --reference p.jsonl",
            "--reference: only with --copy-first, since context-ngram alone copies nothing"},
           {"\"$runtime\" decode -m $tiny -p hi --method ar --reference p.jsonl",
            "--reference: not used by --method ar, only by auto, pld, "},
           {"\"$calibrate\" attribute -m $tiny --prompts p.jsonl --reference p.jsonl",
            "unknown flag --reference"},
           {"\"$calibrate\" bench --grid -m $tiny --rounds 1", "--rounds: only with --stops"},
           {"\"$calibrate\" bench --grid -m $tiny --draft $tiny", "--draft: only with --stops"},
           {"\"$calibrate\" bench --stops -m $tiny --query 1", "--query: only with --grid"},
           {"\"$calibrate\" bench --grid -m $tiny --method unigram --query 1",
            "--query: not used by --method unigram"},
           {"\"$runtime\" export -m $tiny --to safetensors --out X --type stored",
            "--type: only with --to gguf"},
           {"\"$runtime\" tokenize -m $tiny -p hi --raw", "--raw goes with --prompts only"},
           {"\"$data\" traces -m $tiny --prompts p.jsonl -o S --layers 1",
            "--layers: only with --store features"},
           {"\"$data\" traces -m $tiny --prompts p.jsonl -o S --fit", "--fit: only with --budget"},
           {"\"$data\" traces -m $tiny --prompts p.jsonl -o S --draft $tiny",
            "--draft: only with --add-to"},
           {"\"$data\" traces -m $tiny --prompts p.jsonl -o S --draft-vocab 9",
            "--draft-vocab: only with --add-to"},
           {"\"$data\" verify S --threads 1", "--threads: only with --recompute"},
           {"\"$data\" verify S --one-row", "--one-row: only with --recompute"},
           {"\"$data\" prompts --check p.jsonl --exclude p.jsonl --seed 2",
            "--seed: only where prompts are mixed: with a FILE and without --check"},
           {"\"$data\" prompts --exclude p.jsonl --write-hashes - --hold-out-all 0.1",
            "--hold-out-all: only where prompts are mixed"},
           {"\"$calibrate\" ngrammys -m $tiny --extend-drafts 2",
            "--extend-drafts: only with --extend model"},
           {"\"$calibrate\" ngrammys -m $tiny --extend bigram --extend-length 2",
            "--extend-length: only with --extend model"},
           {"\"$calibrate\" layer -m $tiny --data S --seed 2", "--seed: not with --data"},
           {"\"$calibrate\" replay -m $tiny --data S --temperature 1",
            "--temperature: not with --data"},
           {"\"$calibrate\" replay -m $tiny --data S --prefill-chunk 8",
            "--prefill-chunk: not with --data"},
           {"\"$calibrate\" replay -m $tiny --answers a.jsonl --temperature 1",
            "--temperature: not with --answers"}})
    expect_refusal(shell.run(command), message);
}

TEST(FlagsWithoutEffect, OfTrainingAreRefusedWithTheCure) {
  if (!Shell::has_train()) GTEST_SKIP() << "train/ is not built";
  const Shell shell;
  const std::string draft = "\"$train\" draft -m $tiny --data S --work W ";
  const std::string parallel = "\"$train\" parallelspec -m $tiny --data S --work W ";
  for (const auto& [command, message] : std::vector<Refused>{
           {draft + "--hard-share 0.1", "--hard-share: only with --loss both"},
           {draft + "--loss hard --hard-share 0.1", "--hard-share: only with --loss both"},
           {draft + "--steps 8 --epochs 2", "--epochs: not with --steps"},
           {parallel + "--steps 8 --epochs 2", "--epochs: not with --steps"},
           {"\"$train\" disco -m $tiny --data S --cost-ratio 0.1",
            "--cost-ratio: only with --artifacts FILE"},
           {"\"$train\" disco -m $tiny --data S --validation-data V --validation 0.2",
            "--validation: not with --validation-data"},
           {parallel + "--inputs hidden", "--inputs: only with --flavour medusa"},
           {parallel + "--flavour medusa --feature-weight 1",
            "--feature-weight: not with --flavour medusa"},
           {parallel + "--flavour medusa-heads --feature-weight 1",
            "--feature-weight: not with --flavour medusa or medusa-heads"},
           {parallel + "--flavour medusa-heads --inputs hidden",
            "--inputs: only with --flavour medusa"},
           {parallel + "--flavour medusa-heads --no-final-norm",
            "--no-final-norm: not with --flavour medusa-heads, which has none"},
           {parallel + "--flavour medusa-heads --feed-forward 32",
            "--feed-forward: not with --flavour medusa-heads, which has none"},
           {parallel + "--flavour eagle-ar --masks 2",
            "--masks: not with --flavour eagle-ar, which has no masks"},
           {parallel + "--flavour medusa --export-shape vllm",
            "--export-shape: only with --flavour eagle"},
           {parallel + "--mask-token 2", "--mask-token: only with --export-shape"},
           {parallel + "--out D", "--out: only with --export-shape"},
           {parallel + "--export-shape vllm --artifacts a.h5",
            "--artifacts: not with --export-shape, whose drafter goes to --out in bf16"},
           {parallel + "--export-shape vllm --shared-mask", "--shared-mask: not with"},
           {parallel + "--flavour medusa --inputs tokens --cache C",
            "--cache: not with --inputs tokens"}})
    expect_refusal(shell.run(command), message);
  // Nothing was begun.
  EXPECT_FALSE(std::filesystem::exists(shell.path() / "W"));
}

/// The same command with --finish is how a run is finished.
TEST(FlagsWithoutEffect, OfTrainingAreThoseOfTheRunThatIsFinished) {
  if (!Shell::has_train()) GTEST_SKIP() << "train/ is not built";
  const Shell shell;
  shell.write("p.jsonl",
              "{\"id\": \"a\", \"turns\": [\"hi\"]}\n{\"id\": \"b\", \"turns\": [\"ho\"]}\n");
  ASSERT_EQ(shell
                .run("\"$data\" traces -m $tiny --prompts p.jsonl -o S -n 8 --samples 4 "
                     "--temperature 1 --quiet")
                .status,
            0);
  const std::string fixed = " -m $tiny --work W --artifacts a.h5 --quiet ";
  const std::string draft = "\"$train\" draft" + fixed;
  const std::string same = "--data S --validation 0.5 --vocab-size 40 ";
  const Outcome trained = shell.run(draft + same + "--steps 2");
  ASSERT_EQ(trained.status, 0) << trained.err;
  for (const std::string flags : {"", "--steps 2", "--data S --vocab-size 40 --quantise none"}) {
    const Outcome finished = shell.run(fmt::format("{}--finish {}", draft, flags));
    EXPECT_EQ(finished.status, 0) << flags << finished.err;
  }
  const std::string kept = shell.read("a.h5");
  for (const auto& [flags, message] : std::vector<Refused>{
           {"--steps 3",
            "--steps: not with --finish, which does not train: the run in W was trained with 2, "
            "found 3; leave it out"},
           {"--data T", "--data: not with --finish"},
           {"--vocab-size 50", "--vocab-size: not with --finish"},
           {"--minutes 5", "--minutes: not with --finish"},
           {"--learning-rate 0.1", "--learning-rate: not with --finish"}})
    expect_refusal(shell.run(fmt::format("{}--finish {}", draft, flags)), message);
  EXPECT_EQ(shell.read("a.h5"), kept);
}

}  // namespace
}  // namespace outrider::test
