// A model takes the memory of its weights once, however it is stored.

#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/programs/shell.h"
#include "tests/support/large_llama.h"
#include "tests/support/source_path.h"

namespace outrider::test {
namespace {

constexpr double kOther =
    60e6;  // bytes: of the program, its caches, and weights that are read in parts

/// Bytes that decoding two tokens took at most.
double peak_of(const Shell& shell, const std::string& flags) {
  const Outcome done =
      shell.run("\"$runtime\" decode -p hi -n 2 --method ar --costs stored --json - " + flags);
  EXPECT_EQ(done.status, 0) << done.err;
  return nlohmann::json::parse(done.out)["peak_rss_bytes"].get<double>();
}

TEST(LoadingMemory, IsThatOfTheWeightsOnce) {
  if (OUTRIDER_SANITIZED) GTEST_SKIP() << "sanitizers keep their own memory";
  const Shell shell;
  const auto gguf = static_cast<double>(std::filesystem::file_size(default_model()));
  EXPECT_LE(peak_of(shell, "-m \"$real\""), 1.1 * gguf + kOther);
  const auto folder = static_cast<double>(write_large_llama(shell.path() / "large", 10));
  ASSERT_GT(folder, 300e6);
  EXPECT_LE(peak_of(shell, "-m large"), folder + kOther);
  // Packed in half of their bytes.
  EXPECT_LE(peak_of(shell, "-m large --quantise q8_0"), 0.55 * folder + 1.5 * kOther);
}

}  // namespace
}  // namespace outrider::test
