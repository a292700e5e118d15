// The fuzz targets start from these files; were the valid ones refused, fuzzing would not get past
// the first checks and nobody would notice.

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "calibrate/answers/decoded_answers.h"
#include "data/store/manifest.h"
#include "runtime/base/error.h"
#include "runtime/base/text_file.h"
#include "runtime/grammar/schema_check.h"
#include "runtime/model/model.h"
#include "runtime/model/safetensors_file.h"
#include "runtime/records/prompt_file.h"
#include "runtime/serve/api_error.h"
#include "runtime/tokenizer/tokenizer.h"
#include "tests/fuzz/parse_request.h"
#include "tests/fuzz/read_artifact.h"
#include "tests/fuzz/read_checkpoint.h"
#include "tests/fuzz/read_conversations.h"
#include "tests/fuzz/read_hf_json.h"
#include "tests/fuzz/read_shard.h"
#include "tests/fuzz/render_template.h"
#include "tests/fuzz/tiny_tokenizer.h"
#include "tests/support/source_path.h"
#include "tests/support/temporary_folder.h"

namespace outrider {
namespace {

std::vector<std::filesystem::path> seeds(const std::string& target, bool valid) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry :
       std::filesystem::directory_iterator(test::source_path("tests/fuzz/corpus/" + target))) {
    const bool is_valid = entry.path().filename().string().starts_with("valid_");
    if (is_valid == valid) paths.push_back(entry.path());
  }
  return paths;
}

std::string content(const std::filesystem::path& path) { return read_text_file(path, 1 << 20); }

// A changed format shows here; a seed of the older one, which is still read, can be kept as valid_older.
TEST(Seeds, AreThoseThatMakeFuzzSeedsWrites) {
  const test::TemporaryFolder made;
  const std::string command = OUTRIDER_MAKE_FUZZ_SEEDS " '" + made.path().string() + "'";
  ASSERT_EQ(std::system(command.c_str()), 0);
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(made.path())) {
    if (!entry.is_regular_file()) continue;
    const auto committed = test::source_path("tests/fuzz/corpus") /
                           std::filesystem::relative(entry.path(), made.path());
    ASSERT_TRUE(std::filesystem::exists(committed)) << committed;
    EXPECT_TRUE(content(committed) == content(entry.path()))
        << committed << ": run build/release/bin/make_fuzz_seeds tests/fuzz/corpus";
    ++files;
  }
  EXPECT_GT(files, 80u);
}

TEST(GgufSeeds, AreAcceptedWhenTheyAreCalledValidAndOnlyThen) {
  EXPECT_GE(seeds("gguf", true).size(), 7u);
  for (const auto& path : seeds("gguf", true)) {
    EXPECT_NO_THROW(model::load_model(path)) << path;
  }
  for (const auto& path : seeds("gguf", false)) {
    EXPECT_THROW(model::load_model(path), InputError) << path;
  }
}

TEST(SafetensorsSeeds, AreAcceptedWhenTheyAreCalledValidAndOnlyThen) {
  const auto parse = [](const std::filesystem::path& path) {
    const std::string bytes = content(path);
    model::parse_safetensors(std::as_bytes(std::span(bytes)), path.string());
  };
  EXPECT_GE(seeds("safetensors", true).size(), 3u);
  for (const auto& path : seeds("safetensors", true)) EXPECT_NO_THROW(parse(path)) << path;
  EXPECT_GE(seeds("safetensors", false).size(), 4u);
  for (const auto& path : seeds("safetensors", false))
    EXPECT_THROW(parse(path), InputError) << path;
}

TEST(HfJsonSeeds, AreAcceptedWhenTheyAreCalledValidAndOnlyThen) {
  const auto read = [](const std::filesystem::path& path) {
    return text::Tokenizer(fuzz::read_hf_tokenizer_text(content(path)));
  };
  EXPECT_GE(seeds("hf_json", true).size(), 3u);
  for (const auto& path : seeds("hf_json", true)) EXPECT_NO_THROW(read(path)) << path;
  EXPECT_GE(seeds("hf_json", false).size(), 3u);
  for (const auto& path : seeds("hf_json", false)) {
    EXPECT_THROW(read(path), InputError) << path;
    if (path.filename() == "config") {
      EXPECT_EQ(fuzz::read_hf_config_text(content(path)).heads, 2);
    }
    if (path.filename() == "config_windows") {
      EXPECT_EQ(fuzz::read_hf_config_text(content(path)).rotary_width, 8);
    }
  }
}

TEST(PromptSeeds, AreAcceptedWhenTheyAreCalledValidAndOnlyThen) {
  EXPECT_GE(seeds("prompts", true).size(), 2u);
  for (const auto& path : seeds("prompts", true)) {
    EXPECT_NO_THROW(text::read_prompts(path)) << path;
  }
  for (const auto& path : seeds("prompts", false)) {
    EXPECT_THROW(text::read_prompts(path), InputError) << path;
  }
}

TEST(SchemaSeeds, AreAcceptedWhenTheyAreCalledValidAndOnlyThen) {
  EXPECT_GE(seeds("schema", true).size(), 6u);
  for (const auto& path : seeds("schema", true)) {
    EXPECT_NO_THROW(grammar::check_schema(content(path))) << path;
  }
  EXPECT_GE(seeds("schema", false).size(), 5u);
  for (const auto& path : seeds("schema", false)) {
    EXPECT_THROW(grammar::check_schema(content(path)), InputError) << path;
  }
}

TEST(RequestSeeds, AreAcceptedWhenTheyAreCalledValidAndOnlyThen) {
  EXPECT_GE(seeds("request", true).size(), 3u);
  for (const auto& path : seeds("request", true)) {
    EXPECT_NO_THROW(fuzz::parse_request(content(path))) << path;
  }
  EXPECT_GE(seeds("request", false).size(), 6u);
  for (const auto& path : seeds("request", false)) {
    EXPECT_THROW(fuzz::parse_request(content(path)), serve::ApiError) << path;
  }
}

TEST(TemplateSeeds, AreRenderedWhenTheyAreCalledValidAndOnlyThen) {
  EXPECT_GE(seeds("template", true).size(), 3u);
  for (const auto& path : seeds("template", true)) {
    EXPECT_NO_THROW(fuzz::render_template(content(path))) << path;
  }
  EXPECT_GE(seeds("template", false).size(), 3u);
  for (const auto& path : seeds("template", false)) {
    EXPECT_THROW(fuzz::render_template(content(path)), InputError) << path;
  }
}

TEST(ConversationSeeds, AreAcceptedWhenTheyAreCalledValidAndOnlyThen) {
  EXPECT_GE(seeds("conversations", true).size(), 4u);
  for (const auto& path : seeds("conversations", true)) {
    EXPECT_NO_THROW(EXPECT_FALSE(fuzz::read_conversations(content(path)).empty())) << path;
  }
  EXPECT_GE(seeds("conversations", false).size(), 4u);
  for (const auto& path : seeds("conversations", false)) {
    EXPECT_THROW(fuzz::read_conversations(content(path)), InputError) << path;
  }
}

TEST(ManifestSeeds, AreAcceptedWhenTheyAreCalledValidAndOnlyThen) {
  EXPECT_GE(seeds("manifest", true).size(), 2u);
  for (const auto& path : seeds("manifest", true)) {
    EXPECT_EQ(data::manifest_text(data::read_manifest(path)), content(path)) << path;
  }
  EXPECT_GE(seeds("manifest", false).size(), 4u);
  for (const auto& path : seeds("manifest", false)) {
    EXPECT_THROW(data::read_manifest(path), InputError) << path;
  }
}

TEST(DecodedAnswerSeeds, AreAcceptedWhenTheyAreCalledValidAndOnlyThen) {
  EXPECT_GE(seeds("decoded_answers", true).size(), 1u);
  for (const auto& path : seeds("decoded_answers", true)) {
    EXPECT_NO_THROW(calibrate::read_decoded_answers(path, 50, 64)) << path;
  }
  EXPECT_GE(seeds("decoded_answers", false).size(), 2u);
  for (const auto& path : seeds("decoded_answers", false)) {
    EXPECT_THROW(calibrate::read_decoded_answers(path, 50, 64), InputError) << path;
  }
}

TEST(TokenizerSeeds, AreAcceptedWhenTheyAreCalledValidAndOnlyThen) {
  const text::Tokenizer tokenizer(fuzz::tiny_tokenizer_spec());
  EXPECT_GE(seeds("tokenizer", true).size(), 4u);
  for (const auto& path : seeds("tokenizer", true)) {
    EXPECT_NO_THROW(tokenizer.encode(content(path).substr(1), true)) << path;
  }
  for (const auto& path : seeds("tokenizer", false)) {
    EXPECT_THROW(tokenizer.encode(content(path).substr(1), true), InputError) << path;
  }
}

TEST(ShardSeeds, AreAcceptedWhenTheyAreCalledValidAndOnlyThen) {
  const auto read = [](const std::filesystem::path& path) {
    const std::string pieces = content(path);
    fuzz::read_shard(std::as_bytes(std::span(pieces)));
  };
  EXPECT_GE(seeds("shard", true).size(), 4u);
  for (const auto& path : seeds("shard", true)) EXPECT_NO_THROW(read(path)) << path;
  EXPECT_GE(seeds("shard", false).size(), 4u);
  for (const auto& path : seeds("shard", false)) EXPECT_THROW(read(path), InputError) << path;
}

TEST(ArtifactSeeds, AreAcceptedWhenTheyAreCalledValidAndOnlyThen) {
  const auto read = [](const std::filesystem::path& path) {
    const std::string pieces = content(path);
    fuzz::read_artifact(std::as_bytes(std::span(pieces)));
  };
  EXPECT_GE(seeds("artifact", true).size(), 5u);
  for (const auto& path : seeds("artifact", true)) EXPECT_NO_THROW(read(path)) << path;
  EXPECT_GE(seeds("artifact", false).size(), 5u);
  for (const auto& path : seeds("artifact", false)) EXPECT_THROW(read(path), InputError) << path;
}

TEST(CheckpointSeeds, AreAcceptedWhenTheyAreCalledValidAndOnlyThen) {
  const auto read = [](const std::filesystem::path& path) {
    const std::string pieces = content(path);
    fuzz::read_checkpoint(std::as_bytes(std::span(pieces)));
  };
  EXPECT_GE(seeds("checkpoint", true).size(), 2u);
  for (const auto& path : seeds("checkpoint", true)) EXPECT_NO_THROW(read(path)) << path;
  EXPECT_GE(seeds("checkpoint", false).size(), 6u);
  for (const auto& path : seeds("checkpoint", false)) EXPECT_THROW(read(path), InputError) << path;
}

TEST(DetokenizerSeeds, SpellWhatTheirNamesSay) {
  const text::Tokenizer tokenizer(fuzz::tiny_tokenizer_spec());
  const auto spelled = [&](const char* name) {
    std::vector<Token> tokens;
    const std::string ids = content(test::source_path("tests/fuzz/corpus/detokenizer/") + name);
    for (const char id : ids.substr(1)) tokens.push_back(static_cast<unsigned char>(id));
    return tokenizer.decode(tokens, true);
  };
  EXPECT_EQ(spelled("valid_word"), "hello world");
  EXPECT_EQ(spelled("valid_character"), "\U0001F600\u00e9");
  EXPECT_EQ(spelled("valid_special"), "<|im_start|><|im_end|><|endoftext|>");
}

}  // namespace
}  // namespace outrider
