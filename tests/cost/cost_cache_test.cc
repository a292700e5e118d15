#include "runtime/cost/cost_cache.h"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/temporary_folder.h"

namespace outrider::cost {
namespace {

namespace fs = std::filesystem;

const CostKey kKey = {"a machine", "int8", "avx2", 2, "the target", "", "1.0"};
const std::vector<TimedPass> kPasses = {{{Shape::kChain, 1, 64}, 0.001},
                                        {{Shape::kChain, 8, 64}, 0.1 / 3},
                                        {{Shape::kTree, 8, 64}, 0.004}};
const std::vector<TimedSteps> kSteps = {{1, 0.0002, 0.001}, {2, 0.0001, 0.002}};

CostKey with_draft() {
  CostKey key = kKey;
  key.draft = "a draft";
  return key;
}

class CostCacheTest : public testing::Test {
 protected:
  fs::path only_file() const {
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(cache_.folder())) files.push_back(entry.path());
    EXPECT_EQ(files.size(), 1U) << "one file, and nothing temporary";
    return files.at(0);
  }
  std::string text() const {
    std::ifstream file(only_file(), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  void overwrite(const std::string& text) const {
    std::ofstream(only_file(), std::ios::binary) << text;
  }

  test::TemporaryFolder folder_;
  CostCache cache_{folder_.path() / "not" / "yet"};
};

TEST_F(CostCacheTest, GivesBackWhatItKeeps) {
  EXPECT_FALSE(cache_.read_passes(kKey));
  ASSERT_TRUE(cache_.write_passes(kKey, kPasses));
  const auto passes = cache_.read_passes(kKey).value();
  ASSERT_EQ(passes.size(), kPasses.size());
  for (std::size_t i = 0; i < passes.size(); ++i) {
    EXPECT_EQ(passes[i].point.shape, kPasses[i].point.shape);
    EXPECT_EQ(passes[i].point.rows, kPasses[i].point.rows);
    EXPECT_EQ(passes[i].point.context, kPasses[i].point.context);
    EXPECT_EQ(passes[i].seconds, kPasses[i].seconds);
  }
  ASSERT_TRUE(cache_.write_steps(with_draft(), kSteps));
  const auto steps = cache_.read_steps(with_draft()).value();
  ASSERT_EQ(steps.size(), 2U);
  EXPECT_EQ(steps[1].threads, 2);
  EXPECT_EQ(steps[1].draft_seconds, 0.0001);
  EXPECT_EQ(steps[1].target_seconds, 0.002);
  EXPECT_TRUE(cache_.read_passes(kKey)) << "beside each other";
}

TEST_F(CostCacheTest, CostsHoldForOneMachineProgramAndTargetOnly) {
  ASSERT_TRUE(cache_.write_passes(kKey, kPasses));
  const auto knows = [&](auto&& change) {
    CostKey key = kKey;
    change(key);
    return cache_.read_passes(key).has_value();
  };
  EXPECT_TRUE(knows([](CostKey&) {}));
  EXPECT_FALSE(knows([](CostKey& key) { key.machine = "another"; }));
  EXPECT_FALSE(knows([](CostKey& key) { key.numerics = "f32"; }));
  EXPECT_FALSE(knows([](CostKey& key) { key.isa = "avx512"; }));
  EXPECT_FALSE(knows([](CostKey& key) { key.threads = 1; }));
  EXPECT_FALSE(knows([](CostKey& key) { key.target = "another"; }));
  EXPECT_FALSE(knows([](CostKey& key) { key.program = "1.1"; }));
}

TEST_F(CostCacheTest, DamagedFilesAreNoFiles) {
  ASSERT_TRUE(cache_.write_passes(kKey, kPasses));
  const std::string good = text();
  const auto damaged = [&](const std::string& from, const std::string& to) {
    std::string bad = good;
    const std::size_t found = bad.find(from);
    EXPECT_NE(found, std::string::npos) << from;
    overwrite(bad.replace(found, from.size(), to));
    return !cache_.read_passes(kKey);
  };
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{1}, good.size() / 2, good.size() - 2}) {
    overwrite(good.substr(0, size));
    EXPECT_FALSE(cache_.read_passes(kKey)) << size;
  }
  EXPECT_TRUE(damaged("a machine", "b machine")) << "another file of this name";
  EXPECT_TRUE(damaged("0.004", "-0.004"));
  EXPECT_TRUE(damaged("0.004", "\"0.004\""));
  EXPECT_TRUE(damaged("\"rows\": 1", "\"rows\": 0"));
  EXPECT_TRUE(damaged("\"rows\": 1", "\"rows\": 2")) << "without a pass over one row";
  EXPECT_TRUE(damaged("\"tree\": true", "\"tree\": false")) << "without a tree";
  overwrite("[]");
  EXPECT_FALSE(cache_.read_passes(kKey));
  EXPECT_TRUE(cache_.write_passes(kKey, kPasses));
  EXPECT_TRUE(cache_.read_passes(kKey)) << "replaced";
}

TEST_F(CostCacheTest, AFolderThatCannotBeWrittenKeepsNothing) {
  std::ofstream(folder_.path() / "file") << "no folder";
  const CostCache refused(folder_.path() / "file" / "outrider");
  EXPECT_FALSE(refused.write_passes(kKey, kPasses));
  EXPECT_FALSE(refused.write_steps(with_draft(), kSteps));
  EXPECT_FALSE(refused.read_passes(kKey));
  EXPECT_FALSE(refused.read_steps(with_draft()));
  const CostCache nowhere("");
  EXPECT_FALSE(nowhere.write_passes(kKey, kPasses));
  EXPECT_FALSE(nowhere.read_passes(kKey));
}

}  // namespace
}  // namespace outrider::cost
