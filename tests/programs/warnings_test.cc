// What used to pass without a word.

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "runtime/hdf5/checksum.h"
#include "tests/programs/shell.h"
#include "tests/support/source_path.h"
#include "tests/support/tiny_llama.h"

namespace outrider::test {
namespace {

void expect_says(const Outcome& outcome, int status, const std::string& part) {
  EXPECT_EQ(outcome.status, status) << outcome.err;
  EXPECT_NE(outcome.err.find(part), std::string::npos) << outcome.err;
}

/// bare.gguf has no chat template, so that a prompt is the user's text alone, and no token for byte 4.
void write_bare_model(const Shell& shell) {
  TinyShape shape;
  shape.head_width = 32;
  auto writer = tiny_llama_writer(shape, 7, model::WeightType::kQ8_0);
  writer.erase("tokenizer.chat_template");
  const auto bytes = writer.bytes();
  std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const std::string letter = byte_letter(4);
  const std::string entry = std::string("\2\0\0\0\0\0\0\0", 8) + letter;
  text.replace(text.find(entry) + 8, letter.size(), "\u03b1");
  shell.write("bare.gguf", text);
}

/// A model of which the chat template is this.
void write_model_with_template(const Shell& shell, const std::string& name,
                               const std::string& chat_template) {
  TinyShape shape;
  shape.head_width = 32;
  auto writer = tiny_llama_writer(shape, 7, model::WeightType::kQ8_0);
  writer.set("tokenizer.chat_template", chat_template);
  const auto bytes = writer.bytes();
  shell.write(name, std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

TEST(Warnings, AModelWithoutAChatTemplateContinuesPlainTextAndSaysSoOnce) {
  const Shell shell;
  write_bare_model(shell);
  const std::string sentence =
      "bare.gguf has no chat template: prompts are continued as plain text\n";
  const Outcome told = shell.run("\"$runtime\" decode -m bare.gguf -p hi -n 2");
  expect_says(told, 0, sentence);
  EXPECT_EQ(told.err.find(sentence), told.err.rfind(sentence));
  const Outcome asked = shell.run("\"$runtime\" decode -m bare.gguf -p hi -n 2 --chat raw");
  EXPECT_EQ(asked.err.find("chat template"), std::string::npos) << asked.err;
  EXPECT_EQ(asked.out, told.out);
}

TEST(Warnings, APromptThatTheChatTemplateRefusesIsNamedOrLeftOut) {
  const Shell shell;
  write_model_with_template(shell, "picky.gguf",
                            "{% for m in messages %}{% if 'no' in m.content %}{{ "
                            "raise_exception('not that') }}{% endif %}"
                            "<|im_start|>{{ m.content }}<|im_end|>{% endfor %}");
  shell.write("p.jsonl",
              "{\"id\": \"good\", \"turns\": [\"hi\"], \"reference\": \"yes\"}\n"
              "{\"id\": \"bad\", \"turns\": [\"no\"], \"reference\": \"yes\"}\n");
  const std::string why =
      "p.jsonl, line 2: prompt 'bad': the model's chat template: it refuses the conversation: not "
      "that; --skip-refused leaves such prompts out\n";
  const std::vector<std::string> commands = {
      "\"$data\" traces -n 2 -o S",
      "\"$runtime\" decode -n 2",
      "\"$calibrate\" bench --grid -n 2 --method context-ngram --drafts 1 --draft-length 1",
      "\"$runtime\" tokenize --json t.jsonl",
      "\"$calibrate\" quality",
      "\"$calibrate\" replay -n 2",
      "\"$calibrate\" heads -n 2 --samples 1 --artifacts made.h5"};
  const std::string given = " -m picky.gguf --prompts p.jsonl";
  const std::string skip = given + " --skip-refused";
  for (const std::string& command : commands) {
    SCOPED_TRACE(command);
    expect_says(shell.run(command + given), 2, why);
    const Outcome left = shell.run(command + skip);
    EXPECT_NE(left.err.find("left out: 1 prompt that the chat template refuses"), std::string::npos)
        << left.err;
    EXPECT_EQ(left.err.find("prompt 'bad'"), std::string::npos) << left.err;
  }
  shell.write("p.jsonl", "{\"id\": \"bad\", \"turns\": [\"no\"], \"reference\": \"yes\"}\n");
  for (const std::string& command : commands)
    if (command.find("tokenize") == std::string::npos)
      expect_says(shell.run(command + skip), 2, "none is left");
}

TEST(Warnings, AMistakeOfTheTemplateIsNoRefusal) {
  const Shell shell;
  write_model_with_template(shell, "wrong.gguf",
                            "{% for m in messages %}{% if 'no' in m.content %}{{ m.content / 2 }}"
                            "{% endif %}<|im_start|>{{ m.content }}<|im_end|>{% endfor %}");
  shell.write("p.jsonl", "{\"turns\": [\"hi\"]}\n{\"turns\": [\"yes\", \"no\"]}\n");
  expect_says(
      shell.run("\"$data\" traces -o S --skip-refused -m wrong.gguf -n 2 --prompts p.jsonl"), 2,
      "p.jsonl, line 2: prompt 'p line 2': the model's chat template: line 1, column ");
}

TEST(Warnings, AMistakeInAChatTemplateIsNamedWithItsPlace) {
  const Shell shell;
  write_model_with_template(shell, "wrong.gguf", "a\n{% if messages %}b");
  expect_says(shell.run("\"$runtime\" decode -m wrong.gguf -p hi -n 2"), 2,
              "the model's chat template: line 2, column ");
  expect_says(shell.run("\"$runtime\" decode -m wrong.gguf -p hi -n 2 --chat chatml"), 0, "");
  for (const auto& [flag, message] :
       {std::pair<std::string, std::string>{
            "--template-arg colour=1", "--template-arg colour: the chat template does not use it"},
        {"--template-arg colour", "--template-arg: found 'colour', expected NAME=VALUE"},
        {"--no-thinking", "--no-thinking: the chat template has no switch for it"},
        {"--today soon", "--today: found 'soon', expected a date like 2026-01-31"}}) {
    expect_says(shell.run("\"$runtime\" decode -m wrong.gguf -p hi -n 2 --chat chatml " + flag), 2,
                message);
  }
}

TEST(Warnings, APromptWithoutTokensIsNamedBeforeAnythingIsDone) {
  const Shell shell;
  shell.write("p.jsonl", R"({"id": "good", "turns": ["hi"], "reference": "ho"})"
                         "\n"
                         R"({"id": "x", "turns": ["\u0004"], "reference": "ho"})"
                         "\n");
  shell.write("kept.json", "old\n");
  const std::string why = "prompt 'x' encodes to no token, expected at least one";
  write_bare_model(shell);
  const std::string real = " -m \"$real\" --chat raw -n 4", bare = " -m bare.gguf";
  for (const std::string& command :
       {"\"$runtime\" decode" + real, "\"$data\" traces -o S" + real,
        "\"$calibrate\" replay --method pld" + real,
        std::string("\"$runtime\" tokenize --raw -m \"$real\""), "\"$runtime\" tokenize" + bare,
        "\"$calibrate\" quality" + bare,
        "\"$calibrate\" bench --grid --method context-ngram -n 2" + bare}) {
    const Outcome outcome =
        shell.run("timeout 60 " + command + " --prompts p.jsonl --json kept.json");
    expect_says(outcome, 2, why);
    EXPECT_EQ(outcome.out, "") << command;
    EXPECT_EQ(shell.read("kept.json"), "old\n") << command;
  }
  EXPECT_FALSE(std::filesystem::exists(shell.path() / "S"));
}

TEST(Warnings, ARefusedRunKeepsTheRecordsOfTheOneBefore) {
  const Shell shell;
  shell.write("p.jsonl", "{\"turns\": [\"hi\"]}\n");
  shell.write("kept.json", "old\n");
  for (const std::string command :
       {"$runtime decode -m $tiny -n 2 -p hi", "$runtime decode -m $tiny -n 2 --prompts p.jsonl",
        "$calibrate replay -m $tiny --method pld --max-new 2 --prompts p.jsonl"}) {
    expect_says(shell.run(command + " --json kept.json --logit-bias 99999999=1"), 2,
                "--logit-bias: expected a token id");
    EXPECT_EQ(shell.read("kept.json"), "old\n") << command;
  }
  ASSERT_EQ(shell.run("$runtime decode -m $tiny -n 2 -p hi --json kept.json").status, 0);
  EXPECT_EQ(shell.read("kept.json").find("old"), std::string::npos);
}

TEST(Warnings, ADamagedArtifactIsNamed) {
  const Shell shell;
  const std::string name = "SmolLM2-135M-Instruct.Q4_1.stop_classifier.h5";
  std::filesystem::create_directory(shell.path() / "checkpoints");
  std::filesystem::copy_file(source_path("checkpoints/" + name),
                             shell.path() / "checkpoints/mine.h5");
  std::fstream file(shell.path() / "checkpoints/mine.h5",
                    std::ios::in | std::ios::out | std::ios::binary);
  // There are bits that make libhdf5 1.10.8 crash when they are flipped.
  const auto at = static_cast<std::streamoff>(hdf5::kChecksumBytes + 14559);
  file.seekg(at);
  const auto byte = static_cast<char>(file.get() ^ 64);
  file.seekp(at).put(byte).flush();
  const std::string why = "checkpoints/mine.h5: damaged";
  expect_says(shell.run("$runtime inspect checkpoints/mine.h5"), 2, why);
  const std::string decode = "$runtime decode -m \"$real\" -p hi -n 4 --costs stored";
  expect_says(shell.run(decode + " --artifacts checkpoints/mine.h5"), 2, why);
  const Outcome without = shell.run(decode);
  expect_says(without, 0, why);
  EXPECT_EQ(without.err.find(why), without.err.rfind(why)) << without.err;
}

TEST(Warnings, AnEmptyNameIsNoName) {
  const Shell shell;
  shell.write("p.jsonl", "{\"turns\": [\"hi\"]}\n");
  for (const auto& [command, message] : {
           std::pair{"$data traces -m $tiny --prompts p.jsonl -o S --budget ''",
                     "--budget: expected SIZE, found ''"},
           {"$data traces -m $tiny --prompts p.jsonl -o ''",
            "--out: expected a folder, found an empty name"},
           {"$data traces -m $tiny --prompts p.jsonl '' -o S",
            "--prompts: expected a file, found an empty name"},
           {"$runtime decode -m $tiny -p hi --json ''",
            "--json: expected a file, found an empty name"},
           {"$runtime decode -m $tiny --prompts ''",
            "--prompts: expected a file, found an empty name"},
           {"$runtime decode -m $tiny -p hi --artifacts ''",
            "--artifacts: expected a file, found an empty name"},
           {"$calibrate heads -m $tiny --data ''",
            "--data: expected a folder, found an empty name"},
       })
    expect_says(shell.run(command), 2, message);
  shell.write("c.toml", "[traces]\nbudget = \"\"\n");
  expect_says(shell.run("$data traces -m $tiny --prompts p.jsonl -o S --config c.toml"), 2,
              "c.toml:2: budget: expected SIZE, found ''");
  EXPECT_FALSE(std::filesystem::exists(shell.path() / "S"));
}

TEST(Warnings, VerifyHasUseForThreadsOnlyWhenItDecodes) {
  const Shell shell;
  expect_says(shell.run("$data verify S --threads 2"), 2, "--threads: only with --recompute");
  expect_says(shell.run("$data verify S --one-row"), 2, "--one-row: only with --recompute");
}

TEST(Warnings, ALaterTurnBeyondTheContextIsReported) {
  const Shell shell;
  shell.write("p.jsonl",
              "{\"id\": \"a\", \"turns\": [\"one\", \"two two two two two two two\"]}\n");
  const std::string flags = " -m $tiny --chat raw -c 16 -n 8 --prompts p.jsonl --turns all --quiet";
  const Outcome decoded = shell.run("$runtime decode --json t.jsonl" + flags);
  expect_says(decoded, 0, "warning: prompt 'a', turn 2: no text: ");
  EXPECT_NE(decoded.err.find("expected fewer than the context of 16"), std::string::npos);
  EXPECT_NE(shell.read("t.jsonl").find("\"finish_reason\":\"context\""), std::string::npos);
  expect_says(shell.run("$data traces -o S --json s.json" + flags), 0,
              "warning: left out: 1 later turns that did not fit the context");
  EXPECT_EQ(nlohmann::json::parse(shell.read("s.json"))["turns_beyond_context"], 1);
  const Outcome wide = shell.run("$runtime decode -c 0" + flags.substr(0, flags.find(" -c 16")) +
                                 flags.substr(flags.find(" -n 8")));
  EXPECT_EQ(wide.status, 0);
  EXPECT_EQ(wide.err, "");
}

TEST(Warnings, SamplesThatAreTheSameTextAreReported) {
  const Shell shell;
  shell.write("p.jsonl", "{\"turns\": [\"hi\"]}\n");
  expect_says(shell.run("$runtime decode -m $tiny -p hi -n 4 --samples 3 --quiet"), 0,
              "warning: --samples 3: at temperature 0 all samples of a prompt are the same text");
  expect_says(shell.run("$data traces -m $tiny --prompts p.jsonl -n 4 -o S --samples 3 --quiet "
                        "--temperature 0 1"),
              0, "warning: --samples 3: 2 of each prompt are at temperature 0, so the same text");
  for (const char* command :
       {"$runtime decode -m $tiny -p hi -n 4 --samples 3 --temperature 1",
        "$runtime decode -m $tiny -p hi -n 4",
        "$data traces -m $tiny --prompts p.jsonl -n 4 -o T --samples 2 --temperature 0 1"})
    EXPECT_EQ(shell.run(command).err.find("warning"), std::string::npos) << command;
}

TEST(Warnings, ADamagedArtifactThatIsLeftOutIsReportedEvenIfQuiet) {
  const Shell shell;
  std::filesystem::create_directory(shell.path() / "checkpoints");
  shell.write("checkpoints/a.h5", "no HDF5");
  for (const char* quiet : {"", " --quiet"})
    expect_says(shell.run("$runtime decode -m $tiny -p hi -n 4" + std::string(quiet)), 0,
                "checkpoints/a.h5: is not an HDF5 file");
}

TEST(Warnings, WeightsThatAreNoNumbersAreAMistakeInTheFile) {
  const Shell shell;
  TinyShape shape;
  shape.head_width = 32;
  auto writer = tiny_llama_writer(shape, 7, model::WeightType::kF32);
  auto& tensor = writer.tensor("blk.1.ffn_up.weight");
  std::fill_n(tensor.data.begin() + static_cast<std::ptrdiff_t>(2 * tensor.shape[0] * 4), 4,
              std::byte{0xFF});
  const auto bytes = writer.bytes();
  shell.write("nan.gguf", {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  shell.write("p.jsonl", "{\"turns\": [\"hi\"], \"reference\": \"ho\"}\n");
  for (const char* command :
       {"$runtime decode -m nan.gguf -p hi", "$runtime certify -m nan.gguf --minutes 0",
        "$calibrate quality -m nan.gguf --prompts p.jsonl",
        "$data traces -m nan.gguf --prompts p.jsonl -o S"})
    expect_says(shell.run(command), 2,
                "nan.gguf: tensor 'blk.1.ffn_up.weight', row 2: holds a number that is NaN or "
                "infinite");
}

}  // namespace
}  // namespace outrider::test
