// Every method decodes on the emulated GPU, at temperature 0 and above, and gives the processor's text, by rejection too.

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/methods/by_rejection.h"
#include "tests/methods/calibrated_target.h"

namespace outrider::methods {
namespace {

decode::DecodeResult answer(inference::Target& target, double temperature,
                            std::unique_ptr<draft::Drafter> drafter) {
  inference::GenerationOptions options;
  options.max_new = 8;
  options.sampler.temperature = temperature;
  options.sampler.seed = 3;
  inference::Generation generation(target, options, 128, std::move(drafter));
  return generation.generate({"p", ""}, inference::Dialogue(target).ask("abcabcabc")).result;
}

inference::TargetOptions on_emulated_gpu(test::CalibratedTarget& calibrated) {
  inference::TargetOptions options = calibrated.target().options();
  options.engine.device = {engine::DeviceChoice::Kind::kCudaEmulated};
  options.engine.threads = 0;
  return options;
}

class OnEmulatedGpu : public testing::TestWithParam<std::string> {};

TEST_P(OnEmulatedGpu, GivesTheProcessorsText) {
  test::CalibratedTarget calibrated;
  inference::Target gpu(on_emulated_gpu(calibrated));
  std::int64_t drafted = 0;
  for (const double temperature : {0.0, 1.0}) {
    const auto method = calibrated.method(GetParam());
    // Random drafters are sure of no token, and random states are unlike.
    if (GetParam() != "ssd") fill_in(*method, "draft-threshold", 0.0);
    if (GetParam() == "pld-plus-h") fill_in(*method, "threshold", -1.0);
    const PreparedMethod prepared = method->prepare({gpu.model(), gpu.engine(), {}, temperature});
    const decode::DecodeResult found = answer(gpu, temperature, prepared.new_drafter());
    EXPECT_EQ(found.tokens, answer(calibrated.target(), temperature, nullptr).tokens)
        << temperature;
    EXPECT_EQ(found.tokens.size(), 8u) << temperature;
    drafted += found.stats.drafted;
  }
  // `auto` may find that nothing pays.
  EXPECT_TRUE(drafted > 0 || GetParam() == "ar" || GetParam() == "auto");
}

// What is drafted on the card reads the embedding there, which takes room that texts do not have then.
TEST(EmulatedGpuMemory, CountsWhatChainsOfADraftModelKeepOnTheCard) {
  test::CalibratedTarget calibrated;
  inference::Target gpu(on_emulated_gpu(calibrated));
  const MethodTarget target(gpu.model(), gpu.engine(), {});
  const PreparedMethod prepared = calibrated.method("ssd")->prepare(target);
  const std::int64_t before = target.loaded_bytes();
  EXPECT_GT(before, 0);
  const auto drafter = prepared.new_drafter();
  const model::Model draft = artifacts::read_draft(artifacts::ArtifactFile(calibrated.artifacts()),
                                                   calibrated.target().model());
  EXPECT_EQ(target.loaded_bytes() - before,
            draft.head.rows * draft.config.width * static_cast<std::int64_t>(sizeof(float)));
}

std::string test_name(const testing::TestParamInfo<std::string>& named) {
  std::string name = named.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}
INSTANTIATE_TEST_SUITE_P(Methods, OnEmulatedGpu, testing::ValuesIn(names_of(all_methods())),
                         test_name);

class ByRejectionOnEmulatedGpu : public testing::TestWithParam<std::string> {};

/// The text depends on what was drafted, and on every bit of both models' probabilities.
TEST_P(ByRejectionOnEmulatedGpu, GivesTheProcessorsText) {
  test::CalibratedTarget calibrated;
  inference::Target gpu(on_emulated_gpu(calibrated));
  const auto method = calibrated.method(GetParam());
  EXPECT_TRUE(test::verify_by_rejection(*method));
  // Random drafters are sure of no token.
  if (GetParam() != "ssd") fill_in(*method, "draft-threshold", 0.0);
  for (const double temperature : {0.8, 1.0}) {
    const auto of = [&](inference::Target& target) {
      const PreparedMethod prepared =
          method->prepare({target.model(), target.engine(), {}, temperature});
      return answer(target, temperature, prepared.new_drafter());
    };
    const decode::DecodeResult found = of(gpu), expected = of(calibrated.target());
    EXPECT_EQ(found.tokens, expected.tokens) << temperature;
    EXPECT_EQ(found.stats.accepted, expected.stats.accepted) << temperature;
    EXPECT_GT(found.stats.drafted, 0) << temperature;
  }
}

/// All that have --verify, but gsd, whose drafts cannot be verified so.
std::vector<std::string> methods_that_draw() {
  std::vector<std::string> names = names_of(all_methods());
  std::erase_if(names, [](const std::string& name) {
    return name == "gsd" || !test::verify_by_rejection(*new_method(name));
  });
  return names;
}
INSTANTIATE_TEST_SUITE_P(Methods, ByRejectionOnEmulatedGpu, testing::ValuesIn(methods_that_draw()),
                         test_name);

}  // namespace
}  // namespace outrider::methods
