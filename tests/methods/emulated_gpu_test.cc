// Every method decodes on the emulated GPU, at temperature 0 and above, and gives the processor's text.

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/methods/calibrated_target.h"

namespace outrider::methods {
namespace {

std::vector<Token> answer(inference::Target& target, double temperature,
                          std::unique_ptr<draft::Drafter> drafter) {
  inference::GenerationOptions options;
  options.max_new = 8;
  options.sampler.temperature = temperature;
  options.sampler.seed = 3;
  inference::Generation generation(target, options, 128, std::move(drafter));
  return generation.generate({"p", ""}, inference::Dialogue(target).ask("abcabcabc")).result.tokens;
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
  for (const double temperature : {0.0, 1.0}) {
    const auto method = calibrated.method(GetParam());
    const PreparedMethod prepared = method->prepare({gpu.model(), gpu.engine(), {}, temperature});
    const auto found = answer(gpu, temperature, prepared.new_drafter());
    EXPECT_EQ(found, answer(calibrated.target(), temperature, nullptr)) << temperature;
    EXPECT_EQ(found.size(), 8u) << temperature;
  }
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

INSTANTIATE_TEST_SUITE_P(Methods, OnEmulatedGpu, testing::ValuesIn(names_of(all_methods())),
                         [](const auto& named) {
                           std::string name = named.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace outrider::methods
