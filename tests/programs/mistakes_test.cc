#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/programs/shell.h"

namespace outrider::test {
namespace {

struct Mistake {
  std::string arguments;  // after `runtime decode`, as typed in a shell
  std::string message;    // part of the message
};

/// Exit status 2, nothing on standard output, one line on standard error that contains `message`.
void expect_refused(const Shell& shell, const std::vector<Mistake>& mistakes) {
  for (const auto& [arguments, message] : mistakes) {
    const Outcome outcome = shell.run("\"$runtime\" decode " + arguments);
    EXPECT_EQ(outcome.status, 2) << arguments << "\n" << outcome.err;
    EXPECT_EQ(outcome.out, "") << arguments;
    EXPECT_EQ(outcome.err.rfind("runtime: ", 0), 0u) << arguments << "\n" << outcome.err;
    EXPECT_NE(outcome.err.find(message), std::string::npos) << arguments << "\n" << outcome.err;
    EXPECT_EQ(outcome.err.find('\n'), outcome.err.size() - 1) << outcome.err;
  }
}

TEST(Mistakes, InFlagsAreNamed) {
  const Shell shell;
  expect_refused(
      shell,
      {
          {"", "--model is required"},
          {"-p hi", "--model is required"},
          {"-m $tiny -p hi --methd ar", "unknown flag --methd (did you mean --method?)"},
          {"-m $tiny -p hi --method magic",
           "--method: expected auto, ar, pld, context-ngram, pld-plus-h, pld-plus-a, "},
          {"-m $tiny -p hi --method magic", ", found 'magic'"},
          {"-m $tiny -p hi --method", "--method: expected a value after it, found none"},
          {"-m $tiny -p hi -n 0",
           "--max-new: expected a whole number from 1 to 16777216, found '0'"},
          {"-m $tiny -p hi -n -5", "found '-5'"},
          {"-m $tiny -p hi -n 1e99", "found '1e99'"},
          {"-m $tiny -p hi -n 99999999999999999999", "--max-new: expected a whole number"},
          {"-m $tiny -p hi -n 8 -n 9", "--max-new: given more than once"},
          {"-m $tiny -p hi -c -1", "--ctx: expected a whole number from 0"},
          {"-m $tiny -p hi -c 513",
           "--ctx: expected at most 512, the context of tiny.gguf, found 513"},
          {"-m $tiny -p hi -t 5000", "--threads: "},
          {"-m $tiny -p hi -t 0x2", "--threads: "},
          {"-m $tiny -p hi --temperature nan",
           "--temperature: expected a number from 0 to 100, found 'nan'"},
          {"-m $tiny -p hi --temperature -1", "--temperature: "},
          {"-m $tiny -p hi --top-p 1.5", "--top-p: expected a number from 0 to 1, found '1.5'"},
          {"-m $tiny -p hi --min-p inf", "--min-p: "},
          {"-m $tiny -p hi --top-k -1", "--top-k: "},
          {"-m $tiny -p hi --repetition-penalty 0",
           "--repetition-penalty: expected a number from 0.01"},
          {"-m $tiny -p hi --presence-penalty x", "--presence-penalty: "},
          {"-m $tiny -p hi --frequency-penalty 1e9", "--frequency-penalty: "},
          {"-m $tiny -p hi --seed -1", "--seed: expected a whole number"},
          {"-m $tiny -p hi --seed 1.5", "--seed: "},
          {"-m $tiny -p hi --logit-bias 5",
           "--logit-bias: expected ID=X, a token id and a number such as 2=-5, found '5'"},
          {"-m $tiny -p hi --logit-bias 5=nan", "--logit-bias: expected ID=X"},
          {"-m $tiny -p hi --logit-bias 99999=1",
           "--logit-bias: expected a token id from 0 to 273, found 99999"},
          {"-m $tiny -p hi --logit-bias 5=1 5=2", "--logit-bias: token 5 is given twice"},
          {"-m $tiny -p hi --numerics int3",
           "--numerics: expected auto, f32, int8, bf16, found 'int3'"},
          {"-m $tiny -p hi --kv int8", "--kv: expected auto, f16, f32, q8_0, found 'int8'"},
          {"-m $tiny -p hi --device gpu",
           "--device: expected auto, cpu, cuda or cuda:N, found 'gpu'"},
          {"-m $tiny -p hi --device cuda-emulated --isa avx2",
           "--isa: expected auto with --device cuda-emulated"},
          {"-m $tiny -p hi --isa neon",
           "--isa: expected auto, scalar, avx2, avx512, amx, found 'neon'"},
          {"-m $tiny -p hi --prefill-chunk 0", "--prefill-chunk: "},
          {"-m $tiny -p hi --chat alpaca",
           "--chat: expected auto, chatml, llama-2, llama-3, llama-3.1, mistral, mistral-v3, "
           "mistral-nemo, phi-3, qwen, qwen2.5, qwen3, vicuna, zephyr, raw, found 'alpaca'"},
          {"-m $tiny -p hi --stop ''", "stop"},
          {"-m $tiny hello", "'hello' was not expected"},
          {"-m $tiny -p hi --quiet=maybe", "--quiet: expected true or false, found 'maybe'"},
      });
}

TEST(Mistakes, InCombinationsOfFlagsAreNamed) {
  const Shell shell;
  expect_refused(
      shell,
      {
          {"-m $tiny -p hi --method ar --ngram 2", "--ngram: not used by --method ar, only by pld"},
          {"-m $tiny -p hi --draft-length 0", "--draft-length: expected at least 1; 0 is for"},
          {"-m $tiny -p hi --method ar --draft-length 4",
           "--draft-length: not used by --method ar"},
          {"-m $tiny -p hi --method pld --artifacts x.h5", "--artifacts: not used by --method pld"},
          {"-m $tiny -p hi --method pld-plus-h", "--layer: expected with --method pld-plus-h"},
          {"-m $tiny -p hi --method pld-plus-h --layer 3",
           "--layer: expected 0 to 2, the model's last, found 3"},
          {"-m $tiny -p hi --method pld-plus-a",
           "--heads: expected LAYER:HEAD,… with --method pld-plus-a, or --artifacts FILE"},
          {"-m $tiny -p hi --method pld-plus-a --heads 5",
           "--heads: expected LAYER:HEAD,… with --method pld-plus-a"},
          {"-m $tiny -p hi --method pld-plus-a --heads 1:0,",
           "--heads: expected LAYER:HEAD,… such as 12:3,14:5"},
          {"-m $tiny -p hi --method pld-plus-a --heads 1:0,2:4",
           "--heads: expected layers from 1 to 2 and heads from 0 to 3, found 2:4"},
          {"-m $tiny -p hi --method pld-plus-a --heads 1:0,1:0", "--heads: 1:0 is given twice"},
          {"-m $tiny -p hi --method ssd",
           "--draft: expected a model with the target's tokens: found no artifact"},
          {"-m $tiny -p hi --method ssd --draft absent.gguf", "absent.gguf: "},
          {"-m $tiny -p hi --method ssd --draft $tiny -t 2 --draft-threads 3",
           "--draft-threads: expected 1, or 2 as the target has, found 3"},
          {"-m $tiny -p hi --method ssd --draft $tiny --draft-length 0",
           "--draft-length: expected at least 1; 0 is for"},
          {"-m $tiny -p hi --method ssd --draft $tiny --draft-stop oracle",
           "--draft-stop: expected static, confidence, path, heuristic, disco, classifier, found "
           "'oracle'"},
          {"-m $tiny -p hi --method pld --verify rejection",
           "--verify: not used by --method pld, only by ssd, tsd, gsd"},
          {"-m $tiny -p hi --method gsd --draft $tiny --verify rejection",
           "--verify: rejection is not for --method gsd: which branches are merged depends on the "
           "tokens drawn"},
          {"-m $tiny -p hi --method tsd --draft $tiny --verify rejection --tree-nodes 3",
           "--tree-nodes: expected with --verify rejection at least 4, as --children, since"},
          {"-m $tiny -p hi --method tsd --draft $tiny --verify rejection --check --temperature 0.5",
           "--check: not with --verify rejection at temperature 0.5: the text then depends on"},
          {"-m $tiny -p hi --method tsd --draft $tiny --merge-run 2",
           "--merge-run: not used by --method tsd, only by gsd"},
          {"-m $tiny -p hi --method gsd --draft $tiny --children 65",
           "--children: expected a whole number from 1 to 64, found '65'"},
          {"-m $tiny -p hi --method gsd --draft $tiny --preset mine",
           "--preset: expected default, paper, found 'mine'"},
          {"-m $tiny -p hi --method ssd --draft $tiny --verify rejection --check --temperature 0.5",
           "--check: not with --verify rejection at temperature 0.5: the text then depends on"},
          {"-m $tiny -p hi --layer 1", "--layer: not used by --method auto, only by pld-plus-h"},
          {"-m $tiny -p hi --prompt-file f", "--prompt and --prompt-file: give only one of them"},
          {"-m $tiny --prompts a --prompt-file f", "--prompt-file and --prompts: give only one"},
          {"-m $tiny -p hi --limit 3", "--limit: only with --prompts"},
          {"-m $tiny -p hi --turns all", "--turns: only with --prompts"},
          {"-m $tiny -p hi --chat raw --system x", "a raw text (--chat raw, or a model without"},
          {"-m $tiny", "no prompt: expected --prompt TEXT, --prompt-file FILE or --prompts FILE"},
      });
}

TEST(Mistakes, InFilesAreNamed) {
  const Shell shell;
  shell.write("not_a_model", "hello\n");
  shell.write("empty", "");
  expect_refused(shell, {
                            {"-m absent.gguf -p hi", "absent.gguf: "},
                            {"-m '' -p hi", "--model: expected a file, found an empty name"},
                            {"-m / -p hi", "/: is a folder without config.json"},
                            {"-m not_a_model -p hi", "not_a_model"},
                            {"-m empty -p hi", "empty"},
                            {"-m $tiny --prompt-file absent", "absent: No such file or directory"},
                            {"-m $tiny --prompt-file /", "/: Is a directory"},
                            {"-m $tiny --prompts absent", "absent: No such file or directory"},
                            {"-m $tiny -p hi --costs stored --json absent/out",
                             "--json absent/out: cannot write: No such file or directory"},
                            {"-m $tiny -p hi --costs stored --json /",
                             "--json /: cannot write: Is a directory"},
                            {"-m $tiny -p hi --json ./tiny.gguf",
                             "--json ./tiny.gguf: would replace tiny.gguf, which is read"},
                            {"-m $tiny --prompt-file not_a_model --json not_a_model",
                             "--json not_a_model: would replace not_a_model, which is read"},
                            {"-m $tiny -p hi --config absent", "absent: No such file or directory"},
                        });
}

TEST(Mistakes, InPromptsAreNamedBeforeAnythingIsDecoded) {
  const Shell shell;
  shell.write("bad.jsonl", "{\"turns\": [\"good\"]}\n\n{\"turns\": \"not a list\"}\n");
  shell.write("syntax.jsonl", "{\"turns\": [\"good\"]}\n{\"turns\": [\n");
  shell.write("long.jsonl", "{\"turns\": [\"good\"]}\n{\"id\": \"tall\", \"turns\": [\"" +
                                std::string(2000, 'x') + "\"]}\n");
  shell.write("empty", "\n");
  shell.write("kept.json", "old\n");
  expect_refused(
      shell,
      {
          {"-m $tiny --prompts bad.jsonl --json kept.json", "bad.jsonl, line 3: "},
          {"-m $tiny --prompts syntax.jsonl --json kept.json", "syntax.jsonl, line 2: "},
          {"-m $tiny --prompts long.jsonl --json kept.json", "prompt 'tall' has "},
          {"-m $tiny --prompts empty", "empty: no prompts in it"},
          {"-m $tiny -p ''", "--prompt: the prompt is empty, expected a text"},
          {"-m $tiny -p -", "standard input: the prompt is empty"},
          {"-m $tiny --prompt-file empty", "empty: the prompt is empty"},
          {"-m $tiny -p $'a\\xff'", "--prompt: expected UTF-8, byte 1 is not"},
          {"-m $tiny -p - < <(printf 'ab\\xc3')", "standard input: expected UTF-8, byte 2 is not"},
          {"-m $tiny -p hi --system $'\\xff'", "UTF-8"},
          {"-m $tiny -p hi --stop $'\\xff'", "UTF-8"},
          {"-m $tiny -p hi -c 4",
           "expected fewer than the context of 4; shorten it or raise --ctx"},
      });
  EXPECT_EQ(shell.read("kept.json"), "old\n");
}

TEST(Mistakes, InTheNameOfACommandShowTheCommands) {
  const Shell shell;
  const Outcome wrong = shell.run("\"$runtime\" decod");
  EXPECT_EQ(wrong.status, 2);
  EXPECT_NE(wrong.err.find("found 'decod' (did you mean decode?)"), std::string::npos) << wrong.err;
  EXPECT_EQ(shell.run("\"$runtime\"").status, 2);
}

TEST(Mistakes, InTheProgramOfACommandShowWhichHasIt) {
  const Shell shell;
  for (const std::string command :
       {"bench --grid", "bench --stops", "stops", "quality", "attribute"}) {
    const Outcome old = shell.run("\"$runtime\" " + command + " -m $tiny --prompts p.jsonl");
    EXPECT_EQ(old.status, 2);
    EXPECT_EQ(old.err, "runtime: `runtime " + command + "` is `calibrate " + command +
                           "` now, with the same options\n");
    const Outcome now = shell.run("\"$calibrate\" " + command + " --help");
    EXPECT_EQ(now.status, 0) << now.err;
  }
}

}  // namespace
}  // namespace outrider::test
