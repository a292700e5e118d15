#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "runtime/artifacts/artifact_file.h"
#include "runtime/artifacts/replace_group.h"
#include "runtime/commands/commands.h"
#include "tests/support/run_command.h"
#include "tests/support/source_path.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tiny_llama.h"

namespace outrider {
namespace {

test::Outcome inspect(std::vector<std::string> words) {
  words.insert(words.begin(), "inspect");
  return test::run_command(add_inspect, std::move(words));
}

class Inspect : public testing::Test {
 protected:
  std::string write(const test::GgufWriter& writer) {
    const auto path = folder_.path() / "model.gguf";
    const auto bytes = writer.bytes();
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), std::ssize(bytes));
    return path.string();
  }

  test::TemporaryFolder folder_;
  test::GgufWriter tiny_ = test::tiny_llama_writer({}, 1, model::WeightType::kQ4_1);
};

TEST_F(Inspect, PrintsWhatTheModelIsMadeOf) {
  const test::Outcome outcome = inspect({write(tiny_)});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  // 274 x 64 of the embedding; per layer 2 x 64 x 64 + 2 x 32 x 64 + 3 x 64 x 96; five norms of 64.
  for (const char* line :
       {"architecture   llama\n", "layers         2\n", "width          64, feed-forward 96\n",
        "heads          4 of width 16, 2 for keys and values\n", "vocabulary     274 tokens\n",
        "parameters     79,296\n", "  F32          5 tensors, 320 numbers, 1,280 bytes\n",
        "  Q4_1         15 tensors, 78,976 numbers, 49,360 bytes\n",
        "tokenizer      gpt2, pre-tokenizer smollm, 15 merges\n",
        "end tokens     2 <|im_end|>, 0 <|endoftext|>\n"}) {
    EXPECT_NE(outcome.out.find(line), std::string::npos) << line << "not in\n" << outcome.out;
  }
  EXPECT_EQ(outcome.out.find("blk.0.attn_q.weight"), std::string::npos);
}

TEST_F(Inspect, ListsTheTensorsWhenAsked) {
  const test::Outcome outcome = inspect({write(tiny_), "--tensors"});
  EXPECT_NE(outcome.out.find("blk.1.ffn_up.weight          Q4_1  [96, 64] 3,840 bytes\n"),
            std::string::npos)
      << outcome.out;
}

TEST_F(Inspect, PrintsWhatAFolderHolds) {
  const std::string folder = test::source_path("tests/golden/hf/llama_sharded");
  const test::Outcome outcome = inspect({folder, "--tensors"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  for (const char* part :
       {"safetensors of a Hugging Face folder", "layers         3\n", "pre-tokenizer llama-bpe",
        "before a text  0 <|start|>\n", "BF16  [64, 96] 12,288 bytes\n"})
    EXPECT_NE(outcome.out.find(part), std::string::npos) << part << " not in\n" << outcome.out;
  EXPECT_NE(inspect({folder, "--json", "-"}).out.find("\"hugging face\""), std::string::npos);
}

TEST_F(Inspect, WritesTheSameAsJson) {
  const auto json_path = folder_.path() / "facts.json";
  const test::Outcome both = inspect({write(tiny_), "--json", json_path.string()});
  EXPECT_EQ(both.code, 0) << both.err;
  EXPECT_NE(both.out.find("layers"), std::string::npos);
  std::ifstream file(json_path);
  const auto facts = nlohmann::json::parse(file);
  EXPECT_EQ(facts["config"]["kv_heads"], 2);
  EXPECT_EQ(facts["tensors"].size(), 20u);
  EXPECT_EQ(facts["tokenizer"]["end_tokens"][0]["token"], "<|im_end|>");

  const test::Outcome alone = inspect({write(tiny_), "--json", "-"});
  EXPECT_EQ(nlohmann::json::parse(alone.out), facts);
}

TEST_F(Inspect, ShowsAModelThatCannotBeDecodedAndSaysWhy) {
  tiny_.set("llama.rope.scaling.type", "quadratic");
  const test::Outcome outcome = inspect({write(tiny_)});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_NE(outcome.out.find("parameters     79,296\n"), std::string::npos);
  EXPECT_NE(outcome.out.find("not decodable"), std::string::npos);
  EXPECT_NE(outcome.out.find("llama.rope.scaling.type' is 'quadratic'"), std::string::npos);
}

TEST_F(Inspect, DescribesAModelWhoseTokenizerIsUnknownAndSaysWhichItIs) {
  tiny_.set("tokenizer.ggml.pre", "klingon");
  const test::Outcome outcome = inspect({write(tiny_)});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_NE(outcome.out.find("layers         2\n"), std::string::npos);
  EXPECT_NE(outcome.out.find("not decodable"), std::string::npos);
  EXPECT_NE(outcome.out.find("'klingon'"), std::string::npos) << outcome.out;
}

TEST_F(Inspect, NamesTheChatFormatOrAsksForOne) {
  const auto shows = [&](const std::string& format) {
    const std::string out = inspect({write(tiny_)}).out;
    EXPECT_NE(out.find("chat format    " + format), std::string::npos) << out;
  };
  shows("the model's own template\n");
  tiny_.set("tokenizer.chat_template", "{{ messages");
  shows("the model's chat template: line 1, column 1: a tag has no end");
  tiny_.erase("tokenizer.chat_template");
  shows("raw: texts are continued as they are\n");
}

TEST_F(Inspect, LetsNoControlCharacterOfAFileReachTheTerminal) {
  tiny_.set("general.name", "red \x1b[31m");
  const test::Outcome outcome = inspect({write(tiny_)});
  EXPECT_NE(outcome.out.find("name           red \\x1b[31m\n"), std::string::npos);
}

TEST_F(Inspect, PrintsAnArtifactAndHowEachResultCameAbout) {
  const auto path = folder_.path() / "mine.h5";
  const std::vector<std::int32_t> numbers = {1, 2, 3, 4, 5, 6};
  artifacts::replace_group(
      path, {"mine.gguf", "aaaa", "bbbb", 274, 64, 2}, "/ngrammys",
      {"calibrate ngrammys", "[ngrammys]\nk = 3\n", 0, "", {}, {}},
      [&](hdf5::Writer& file, const std::string& group) {
        file.add<std::int32_t>(group + "/next", {2, 3}, numbers, hdf5::Packing::kPlain);
        file.add_text(group + "/unigram", "distance");
        file.add_number<double>(group + "/half", 0.5);
      });
  const test::Outcome outcome = inspect({path.string()});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  for (const char* part : {"mine.gguf (aaaa)", "2 layers, width 64, 274 tokens", "/ngrammys",
                           "calibrate ngrammys", "k = 3", "int32 [2, 3], 24 bytes", "unigram"}) {
    EXPECT_NE(outcome.out.find(part), std::string::npos) << part << " not in\n" << outcome.out;
  }
  const auto json = nlohmann::json::parse(inspect({path.string(), "--json", "-"}).out);
  const auto& datasets = json["groups"]["/ngrammys"]["datasets"];
  EXPECT_EQ(datasets["next"]["shape"], (std::vector<int>{2, 3}));
  EXPECT_FALSE(datasets["next"].contains("value"));
  EXPECT_EQ(datasets["unigram"]["value"], "distance");
  EXPECT_EQ(datasets["half"]["value"], 0.5);
  EXPECT_EQ(inspect({path.string(), "--tensors"}).code, 2);
}

TEST_F(Inspect, PrintsTheArtifactsOfAFolderAsOneWithTheFileOfEach) {
  const artifacts::TargetIdentity target = {"mine.gguf", "aaaa", "bbbb", 274, 64, 2};
  const auto number = [](hdf5::Writer& file, const std::string& group) {
    file.add_number<std::int32_t>(group + "/number", 7);
  };
  const auto path = folder_.path() / "known";
  artifacts::replace_group(path / "a.h5", target, "/one", {"tool one", "", 0, "", {}, {}}, number);
  artifacts::replace_group(path / "b.h5", target, "/two", {"tool two", "", 0, "", {}, {}}, number);
  std::ofstream(path / "c.h5") << "no HDF5";
  const test::Outcome outcome = inspect({path.string()});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out.find("mine.gguf (aaaa)"), outcome.out.rfind("mine.gguf (aaaa)"));
  std::size_t at = 0;
  for (const std::string& part :
       {std::string("\n/one "), "file " + (path / "a.h5").string(), std::string("\n/two "),
        "file " + (path / "b.h5").string(),
        "\nnot read: " + (path / "c.h5").string() + ": is not an HDF5 file"}) {
    // The columns of a sheet are as wide as its names.
    std::string spaced = outcome.out;
    spaced.erase(std::unique(spaced.begin(), spaced.end(),
                             [](char a, char b) { return a == ' ' && b == ' '; }),
                 spaced.end());
    at = spaced.find(part, at);
    EXPECT_NE(at, std::string::npos) << part << " not in\n" << spaced;
  }
  const auto json = nlohmann::json::parse(inspect({path.string(), "--json", "-"}).out);
  EXPECT_EQ(json["sets"][0]["target"]["name"], "mine.gguf");
  EXPECT_EQ(json["sets"][0]["groups"]["/two"]["file"], (path / "b.h5").string());
  EXPECT_EQ(json["sets"][0]["groups"]["/two"]["datasets"]["number"]["value"], 7);
  EXPECT_EQ(json["not_read"].size(), 1U);
}

TEST_F(Inspect, RefusesWhatIsNoModelFile) {
  const auto notes = folder_.path() / "notes.txt";
  std::ofstream(notes) << "not a model";
  const test::Outcome text = inspect({notes.string()});
  EXPECT_EQ(text.code, 2);
  EXPECT_NE(text.err.find("notes.txt: is not a GGUF file"), std::string::npos) << text.err;
  const test::Outcome absent = inspect({(folder_.path() / "absent").string()});
  EXPECT_EQ(absent.code, 2);
  EXPECT_NE(absent.err.find("absent: no such file"), std::string::npos) << absent.err;
}

}  // namespace
}  // namespace outrider
