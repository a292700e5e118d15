#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "runtime/artifacts/artifact_file.h"
#include "runtime/artifacts/pld_plus_group.h"
#include "runtime/artifacts/replace_group.h"
#include "runtime/commands/commands.h"
#include "tests/methods/pld_plus_results.h"
#include "tests/support/run_command.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tiny_llama.h"

namespace outrider {
namespace {

using Json = nlohmann::json;

class PldPlusSettings : public testing::Test {
 protected:
  PldPlusSettings() {
    test::write_tiny_llama(folder_.path(), "tiny.gguf", {.head_width = 32}, 1,
                           model::WeightType::kQ8_0);
    auto target = artifacts::identity_of(model::load_model(path("tiny.gguf")));
    write("found.h5", target);
    target.model_hash = "another";
    write("other.h5", target);
  }
  std::string path(const std::string& name) const { return (folder_.path() / name).string(); }

  test::Outcome decode(const std::string& method, std::vector<std::string> more,
                       const std::string& artifact = "found.h5") const {
    std::vector<std::string> words = {"decode", "-m",          path("tiny.gguf"), "-p",   "abc",
                                      "-n",     "2",           "--method",        method, "--json",
                                      "-",      "--artifacts", path(artifact)};
    words.insert(words.end(), more.begin(), more.end());
    return test::run_command(add_decode, words);
  }
  Json settings(const std::string& method, std::vector<std::string> more) const {
    const test::Outcome done = decode(method, std::move(more));
    EXPECT_EQ(done.code, 0) << done.err;
    return Json::parse(done.out)["settings"];
  }

 private:
  void write(const std::string& name, const artifacts::TargetIdentity& target) const {
    artifacts::replace_group(path(name), target, artifacts::kPldPlusLayer, {},
                             [](hdf5::Writer& file, const std::string& group) {
                               artifacts::write_pld_plus_layer(test::some_layer(), file, group);
                             });
    test::write_copies(path(name), target, "pld-plus-h", test::some_layer().choice(),
                       test::some_copies());
    test::write_copies(path(name), target, "pld-plus-a", test::two_chosen_heads().choice(),
                       {{0, {test::copied(5, -1, 140)}}});
    artifacts::replace_group(path(name), target, artifacts::kPldPlusHeads, {},
                             [](hdf5::Writer& file, const std::string& group) {
                               artifacts::write_pld_plus_heads(test::two_chosen_heads(), file,
                                                               group);
                             });
  }

  test::TemporaryFolder folder_;
};

TEST_F(PldPlusSettings, AreTheArtifactsAndNamedInRecords) {
  const Json of_layer = settings("pld-plus-h", {});
  EXPECT_EQ(of_layer["layer"], 1);
  EXPECT_EQ(of_layer["draft_length"], 3);
  EXPECT_EQ(of_layer["threshold"], 0.75);
  EXPECT_EQ(of_layer["artifacts"], path("found.h5"));
  const Json of_heads = settings("pld-plus-a", {});
  EXPECT_EQ(of_heads["heads"], "2:1,1:3");
  EXPECT_EQ(of_heads["aggregation"], "sum");
  EXPECT_EQ(of_heads["draft_length"], 5);
}

TEST_F(PldPlusSettings, TheThresholdIsThatOfItsLayerAlone) {
  EXPECT_EQ(settings("pld-plus-h", {"--layer", "1"})["threshold"], 0.75);
  EXPECT_EQ(settings("pld-plus-h", {"--temperature", "1"})["threshold"], 0.5);
  const Json other = settings("pld-plus-h", {"--layer", "2"});
  EXPECT_EQ(other["threshold"], -1);
  EXPECT_EQ(other["draft_length"], 3);
  EXPECT_EQ(settings("pld-plus-h", {"--layer", "2", "--threshold", "0.5"})["threshold"], 0.5);
  EXPECT_EQ(settings("pld-plus-h", {"--threshold", "-1"})["threshold"], -1);
}

TEST_F(PldPlusSettings, TheWeightOfLogitsIsTheArtifactsWithItsLayer) {
  const auto weight = [&](std::vector<std::string> more) {
    return settings("pld-plus-h", std::move(more))["logit_weight"];
  };
  EXPECT_EQ(weight({}), 0.25);
  EXPECT_EQ(weight({"--layer", "1"}), 0.25);
  EXPECT_EQ(weight({"--layer", "2"}), 0);
  EXPECT_EQ(weight({"--layer", "2", "--logit-weight", "0.5"}), 0.5);
  EXPECT_EQ(weight({"--logit-weight", "0"}), 0);
  // The threshold is of the cosine, whatever is added to it.
  EXPECT_EQ(settings("pld-plus-h", {"--logit-weight", "0"})["threshold"], 0.75);
  const test::Outcome by_heads = decode("pld-plus-a", {"--logit-weight", "0.5"});
  EXPECT_EQ(by_heads.code, 2);
  EXPECT_NE(by_heads.err.find("--logit-weight: not used by --method pld-plus-a"), std::string::npos)
      << by_heads.err;
  EXPECT_EQ(decode("pld-plus-h", {"--logit-weight", "-0.1"}).code, 2);
}

TEST_F(PldPlusSettings, HeadsByNameAreCheckedWithTheArtifactToo) {
  const Json named = settings("pld-plus-a", {"--heads", "2:3"});
  EXPECT_EQ(named["heads"], "2:3");
  EXPECT_EQ(named["draft_length"], 5);
  EXPECT_EQ(named["aggregation"], "sum");
  const test::Outcome other = decode("pld-plus-a", {"--heads", "2:3"}, "other.h5");
  EXPECT_EQ(other.code, 2);
  EXPECT_NE(other.err.find("other.h5: "), std::string::npos) << other.err;
  // Lengths for each step are known for those that were chosen, however they are named.
  for (const char* heads : {"2:1,1:3", "1:3,2:1"})
    EXPECT_EQ(decode("pld-plus-a", {"--heads", heads, "--draft-length", "0"}).code, 0) << heads;
  for (const std::vector<std::string>& how : {std::vector<std::string>{"--heads", "2:1"},
                                              {"--heads", "2:1,1:3", "--aggregation", "max"}}) {
    std::vector<std::string> words = {"--draft-length", "0"};
    words.insert(words.end(), how.begin(), how.end());
    EXPECT_EQ(decode("pld-plus-a", words).code, 2);
  }
}

}  // namespace
}  // namespace outrider
