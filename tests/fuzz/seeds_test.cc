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
#include "runtime/prompt_files/prompt_file.h"
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

/// Every seed of a target is read when it is called valid, and refused with an Error when it is not.
/// @param valid, refused  the fewest seeds of each kind
template <class Error, class Read>
void expect_seeds(const std::string& target, std::size_t valid, std::size_t refused, Read read) {
  const auto accepted = seeds(target, true), others = seeds(target, false);
  EXPECT_GE(accepted.size(), valid);
  for (const auto& path : accepted) {
    SCOPED_TRACE(path);
    EXPECT_NO_THROW(read(path));
  }
  EXPECT_GE(others.size(), refused);
  for (const auto& path : others) EXPECT_THROW(read(path), Error) << path;
}

/// Hands the bytes of a file to a reader.
template <class Read>
auto in_pieces(Read read) {
  return [read](const std::filesystem::path& path) {
    const std::string bytes = content(path);
    read(std::as_bytes(std::span(bytes)));
  };
}

// A changed format shows here.
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
  expect_seeds<InputError>("gguf", 7, 3, [](const auto& path) { model::load_model(path); });
}

TEST(SafetensorsSeeds, AreAcceptedWhenTheyAreCalledValidAndOnlyThen) {
  expect_seeds<InputError>("safetensors", 3, 4, [](const auto& path) {
    const std::string bytes = content(path);
    model::parse_safetensors(std::as_bytes(std::span(bytes)), path.string());
  });
}

TEST(HfJsonSeeds, AreAcceptedWhenTheyAreCalledValidAndOnlyThen) {
  expect_seeds<InputError>("hf_json", 3, 3, [](const auto& path) {
    text::Tokenizer(fuzz::read_hf_tokenizer_text(content(path)));
  });
}

TEST(HfJsonSeeds, OfConfigsAreRead) {
  const auto config = [](const char* name) {
    return fuzz::read_hf_config_text(
        content(test::source_path("tests/fuzz/corpus/hf_json/") + name));
  };
  EXPECT_EQ(config("config").heads, 2);
  EXPECT_EQ(config("config_windows").rotary_width, 8);
}

TEST(PromptSeeds, AreAcceptedWhenTheyAreCalledValidAndOnlyThen) {
  expect_seeds<InputError>("prompts", 2, 4, [](const auto& path) { text::read_prompts(path); });
}

TEST(SchemaSeeds, AreAcceptedWhenTheyAreCalledValidAndOnlyThen) {
  expect_seeds<InputError>("schema", 6, 5,
                           [](const auto& path) { grammar::check_schema(content(path)); });
}

TEST(RequestSeeds, AreAcceptedWhenTheyAreCalledValidAndOnlyThen) {
  expect_seeds<serve::ApiError>("request", 3, 6,
                                [](const auto& path) { fuzz::parse_request(content(path)); });
}

TEST(TemplateSeeds, AreRenderedWhenTheyAreCalledValidAndOnlyThen) {
  expect_seeds<InputError>("template", 3, 3,
                           [](const auto& path) { fuzz::render_template(content(path)); });
}

TEST(ConversationSeeds, AreAcceptedWhenTheyAreCalledValidAndOnlyThen) {
  expect_seeds<InputError>("conversations", 4, 4, [](const auto& path) {
    EXPECT_FALSE(fuzz::read_conversations(content(path)).empty());
  });
}

TEST(ManifestSeeds, AreAcceptedWhenTheyAreCalledValidAndOnlyThen) {
  expect_seeds<InputError>("manifest", 2, 4, [](const auto& path) {
    EXPECT_EQ(data::manifest_text(data::read_manifest(path)), content(path));
  });
}

TEST(DecodedAnswerSeeds, AreAcceptedWhenTheyAreCalledValidAndOnlyThen) {
  expect_seeds<InputError>("decoded_answers", 1, 2,
                           [](const auto& path) { calibrate::read_decoded_answers(path, 50, 64); });
}

TEST(TokenizerSeeds, AreAcceptedWhenTheyAreCalledValidAndOnlyThen) {
  const text::Tokenizer tokenizer(fuzz::tiny_tokenizer_spec());
  expect_seeds<InputError>("tokenizer", 4, 1, [&](const auto& path) {
    tokenizer.encode(content(path).substr(1), true);
  });
}

TEST(ShardSeeds, AreAcceptedWhenTheyAreCalledValidAndOnlyThen) {
  expect_seeds<InputError>("shard", 4, 4, in_pieces(fuzz::read_shard));
}

TEST(ArtifactSeeds, AreAcceptedWhenTheyAreCalledValidAndOnlyThen) {
  expect_seeds<InputError>("artifact", 5, 5, in_pieces(fuzz::read_artifact));
}

TEST(CheckpointSeeds, AreAcceptedWhenTheyAreCalledValidAndOnlyThen) {
  expect_seeds<InputError>("checkpoint", 2, 6, in_pieces(fuzz::read_checkpoint));
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
