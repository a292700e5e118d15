// The program decodes on the emulated GPU, and gives the processor's text. tests/methods says so of every method.

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "tests/programs/shell.h"
#include "tests/support/tiny_llama.h"

namespace outrider::test {
namespace {

class EmulatedGpuDecodes : public testing::TestWithParam<const char*> {
 protected:
  EmulatedGpuDecodes() {
    TinyShape shape;
    shape.head_width = 32;
    write_tiny_llama(shell_.path(), "target.gguf", shape, 3, model::WeightType::kQ4_1);
    shape.layers = 1;
    write_tiny_llama(shell_.path(), "lesser.gguf", shape, 7, model::WeightType::kQ8_0);
  }

  nlohmann::json decode(const std::string& arguments) const {
    const Outcome outcome =
        shell_.run("\"$runtime\" decode -m target.gguf --prompt 'abc abc abc abc' -n 10 --json - " +
                   arguments);
    EXPECT_EQ(outcome.status, 0) << arguments << "\n" << outcome.err;
    return outcome.status == 0 ? nlohmann::json::parse(outcome.out) : nlohmann::json();
  }

  Shell shell_;
};

TEST_P(EmulatedGpuDecodes, TheProcessorsText) {
  for (const char* temperature : {"0", "1"}) {
    const std::string sampling = fmt::format("--seed 5 --temperature {}", temperature);
    const auto found =
        decode(fmt::format("{} --method {} --device cuda-emulated --check", sampling, GetParam()));
    const auto expected = decode(sampling + " --method ar --device cpu");
    EXPECT_EQ(found["output_tokens"], expected["output_tokens"]) << temperature;
    EXPECT_EQ(found["output_tokens"].size(), 10u);
  }
}

INSTANTIATE_TEST_SUITE_P(Methods, EmulatedGpuDecodes,
                         testing::Values("ar", "pld-plus-a --heads 1:0",
                                         "gsd --draft lesser.gguf --draft-length 3"));

}  // namespace
}  // namespace outrider::test
