#include "runtime/cli/read_files.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "runtime/cli/prompt_flags.h"
#include "tests/support/temporary_folder.h"

namespace outrider::cli {
namespace {

namespace fs = std::filesystem;

class ReadFiles : public testing::Test {
 protected:
  std::string path(const std::string& name) const { return (folder_.path() / name).string(); }
  test::TemporaryFolder folder_;
};

TEST_F(ReadFiles, OfAModelAreItsFolderOrAllItsParts) {
  const std::vector<InputPath> folder = model_at(folder_.path().string());
  ASSERT_EQ(folder.size(), 1u);
  EXPECT_TRUE(folder[0].is_read("model-00002-of-00005.safetensors"));
  EXPECT_TRUE(folder[0].is_read("chat_template.jinja"));
  EXPECT_FALSE(folder[0].is_read("records.jsonl"));

  const auto names = [&](const std::string& name) {
    std::vector<std::string> found;
    for (const InputPath& part : model_at(path(name))) {
      EXPECT_EQ(part.is_read, nullptr);
      found.push_back(part.path.filename());
    }
    return found;
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(names("m-00002-of-00003.gguf"),
            (Names{"m-00001-of-00003.gguf", "m-00002-of-00003.gguf", "m-00003-of-00003.gguf"}));
  for (const char* whole : {"m.gguf", "m-00004-of-00003.gguf", "m-00000-of-00003.gguf",
                            "m-00002-of-0000x.gguf", "m-00002_of-00003.gguf"})
    EXPECT_EQ(names(whole), Names{whole});
}

TEST_F(ReadFiles, OfADrafterAreAModelOrArtifactsNamedOrNot) {
  const auto is_artifacts = [](const InputPath& input) {
    return input.is_read != nullptr && input.is_read("a.h5") && input.may_be_updated;
  };
  EXPECT_TRUE(is_artifacts(drafter_at(folder_.path().string()).front()));
  EXPECT_TRUE(is_artifacts(drafter_at("").front()));
  std::ofstream(path("config.json")) << "{}";
  EXPECT_FALSE(is_artifacts(drafter_at(folder_.path().string()).front()));
  EXPECT_EQ(drafter_at(path("d.gguf")).front().path, path("d.gguf"));
}

TEST_F(ReadFiles, OfArtifactsAreUpdatedInTheFolderHereUnlessTheyAreNamed) {
  EXPECT_EQ(updated_at("mine.h5"), std::vector<fs::path>{"mine.h5"});
  EXPECT_EQ(updated_at(""), std::vector<fs::path>{"checkpoints/"});
}

TEST_F(ReadFiles, OfShippedPromptsAreFoundFromAnyFolder) {
  EXPECT_EQ(prompts_at(kShippedPrompts).front().path, prompt_file(kShippedPrompts));
  EXPECT_TRUE(prompts_at("").empty());
}

TEST_F(ReadFiles, OfATextAreStandardInput) {
  EXPECT_TRUE(input_of_text("a text").empty());
  EXPECT_EQ(input_of_text("-").front().path, "-");
}

}  // namespace
}  // namespace outrider::cli
