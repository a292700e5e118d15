// The fuzz targets start from these files; were the valid ones refused, fuzzing would not get past
// the first checks and nobody would notice.

#include <gtest/gtest.h>

#include <filesystem>

#include "runtime/base/error.h"
#include "runtime/model/model.h"

namespace outrider {
namespace {

std::vector<std::filesystem::path> seeds(const std::string& target, bool valid) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(
           std::filesystem::path(OUTRIDER_SOURCE_DIR) / "tests/fuzz/corpus" / target)) {
    const bool is_valid = entry.path().filename().string().starts_with("valid_");
    if (is_valid == valid) paths.push_back(entry.path());
  }
  return paths;
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

}  // namespace
}  // namespace outrider
