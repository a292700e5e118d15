// The program decodes by every method on the emulated GPU, checks itself, and gives the processor's text. tests/methods says so
// of the library.

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/methods/calibrated_target.h"
#include "tests/programs/shell.h"

namespace outrider::test {
namespace {

class EmulatedGpu : public testing::Test {
 protected:
  const std::string& model() { return calibrated_.target().options().model; }

  /// Decodes at temperatures 0 and 1. @return how many tokens were drafted
  int expect_the_processors_text(const std::string& method) {
    int drafted = 0;
    for (const char* temperature : {"0", "1"}) {
      const std::string sampling = fmt::format(" --temperature {} ", temperature);
      auto found = decode(method + sampling + "--device cuda-emulated --check");
      auto expected = decode("ar --device cpu" + sampling);
      EXPECT_EQ(found["output_tokens"], expected["output_tokens"]) << temperature;
      EXPECT_EQ(found["output_tokens"].size(), 6u) << temperature;
      EXPECT_EQ(found["settings"]["device"], "cuda");
      drafted += found.value("drafted", 0);
    }
    return drafted;
  }

  CalibratedTarget calibrated_;

 private:
  /// @param method  and other flags
  nlohmann::json decode(const std::string& method) {
    const Outcome outcome = shell_.run(
        fmt::format("\"$runtime\" decode -m '{}' --chat raw --prompt abcabcabc -n 6 --seed 5 "
                    "--json - --method {}",
                    model(), method));
    EXPECT_EQ(outcome.status, 0) << method << "\n" << outcome.err;
    return outcome.status == 0 ? nlohmann::json::parse(outcome.out) : nlohmann::json::object();
  }

  Shell shell_;
};

class EmulatedGpuDecodes : public EmulatedGpu, public testing::WithParamInterface<std::string> {};

TEST_P(EmulatedGpuDecodes, TheProcessorsText) {
  const std::string& name = GetParam();
  const auto method = methods::new_method(name);
  std::string flags = name;
  if (methods::fill_in(*method, "artifacts", calibrated_.artifacts()))
    flags += fmt::format(" --artifacts '{}'", calibrated_.artifacts());
  // Random drafters are sure of no token, and random states are unlike.
  if (name != "ssd" && methods::fill_in(*method, "draft-threshold", 0.0))
    flags += " --draft-threshold 0";
  if (name == "pld-plus-h") flags += " --threshold -1";
  const int drafted = expect_the_processors_text(flags);
  // `auto` may find that nothing pays.
  EXPECT_TRUE(drafted > 0 || name == "ar" || name == "auto");
}

TEST_F(EmulatedGpu, DecodesWithADraftModelOfAFile) {
  EXPECT_GT(expect_the_processors_text(fmt::format("gsd --draft '{}' --draft-length 3", model())),
            0);
}

std::string test_name(const testing::TestParamInfo<std::string>& named) {
  std::string name = named.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Methods, EmulatedGpuDecodes,
                         testing::ValuesIn(methods::names_of(methods::all_methods())), test_name);

}  // namespace
}  // namespace outrider::test
