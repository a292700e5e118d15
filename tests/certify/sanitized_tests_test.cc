// Which of these tests run under the sanitizers: those that CMakeLists.txt names.

#include <fnmatch.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <regex>
#include <string>
#include <vector>

#include "runtime/base/text_file.h"
#include "tests/support/source_path.h"

namespace outrider::certify {
namespace {

/// Filters like "AllNumerics/TinyModels.*/0".
std::vector<std::string> sanitized_filters() {
  const std::string list =
      read_text_file(test::source_path("tests/certify/CMakeLists.txt"), 1 << 16);
  std::smatch words;
  if (!std::regex_search(list, words, std::regex(R"(string\(JOIN : quick_tests([^)]*)\))")))
    return {};
  const std::string names = words[1];
  const std::regex word(R"(\S+)");
  return {std::sregex_token_iterator(names.begin(), names.end(), word), {}};
}

struct Share {
  int tests = 0, sanitized = 0;
};

/// By test suite.
std::map<std::string, Share> shares_under_sanitizers() {
  const std::vector<std::string> filters = sanitized_filters();
  std::map<std::string, Share> shares;
  const testing::UnitTest& all = *testing::UnitTest::GetInstance();
  for (int i = 0; i < all.total_test_suite_count(); ++i) {
    const testing::TestSuite& suite = *all.GetTestSuite(i);
    Share& share = shares[suite.name()];
    for (int j = 0; j < suite.total_test_count(); ++j) {
      const std::string name = std::string(suite.name()) + "." + suite.GetTestInfo(j)->name();
      ++share.tests;
      share.sanitized +=
          std::any_of(filters.begin(), filters.end(), [&](const std::string& filter) {
            return ::fnmatch(filter.c_str(), name.c_str(), 0) == 0;
          });
    }
  }
  return shares;
}

TEST(SanitizedTests, AreAllGoldenBitsOfTinyModelsAndSomeCertificatesOfEachKind) {
  auto shares = shares_under_sanitizers();
  const Share bits = shares["AllTypes/GoldenBitsOfTinyModels"];
  EXPECT_GT(bits.tests, 10);
  EXPECT_EQ(bits.sanitized, bits.tests);
  EXPECT_GE(shares["AllNumerics/TinyModels"].sanitized, 3) << "of f32, bf16 and int8";
  const Share packings = shares["SomeTypes/ProductsAmongWarps"];
  EXPECT_EQ(packings.sanitized, packings.tests) << "kernels of a card, of each kind of packing";
  EXPECT_GE(shares["SomeTypes/EmulatedGpuTrees"].sanitized, 2);
  for (const char* suite : {"Windows/TinyModels", "StateModels", "TrimmedHeads"}) {
    const auto found = std::find_if(shares.begin(), shares.end(), [&](const auto& share) {
      return share.first.ends_with(suite);
    });
    ASSERT_NE(found, shares.end()) << suite;
    EXPECT_GE(found->second.sanitized, 1) << suite;
  }
}

}  // namespace
}  // namespace outrider::certify
