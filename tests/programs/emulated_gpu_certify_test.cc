#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/programs/shell.h"
#include "tests/support/tiny_llama.h"

namespace outrider::test {
namespace {

TEST(EmulatedGpuCertificate, ComparesTheGpuWithTheProcessor) {
  const Shell shell;
  write_tiny_llama(shell.path(), "tiny.gguf", {.head_width = 32, .context = 40}, 3,
                   model::WeightType::kQ4_1);
  const auto certified = [&](const std::string& device) {
    return shell.run(
        "\"$runtime\" certify -m tiny.gguf --minutes 0 --context 12 --seed 11 --device " + device +
        " --threads 1 --json c.json");
  };
  const Outcome of_gpu = certified("cuda-emulated");
  ASSERT_EQ(of_gpu.status, 0) << of_gpu.err;
  EXPECT_NE(of_gpu.out.find("one-row decoding on one thread of the processor, in 1 cases"),
            std::string::npos)
      << of_gpu.out;
  const auto json = nlohmann::json::parse(shell.read("c.json"));
  EXPECT_EQ(json["device"], "cuda");
  EXPECT_EQ(json["reference"]["device"], "cpu");
  EXPECT_EQ(json["compared"].size(), 1u);
  EXPECT_EQ(json["compared"][0]["isa"], "cuda-emulated");
  EXPECT_GT(json["compared"][0]["rows"], 20);

  const Outcome of_processor = certified("cpu --isa scalar");
  ASSERT_EQ(of_processor.status, 0) << of_processor.err;
  EXPECT_NE(of_processor.out.find("one-row decoding on one thread, in 1 cases"), std::string::npos)
      << of_processor.out;
  EXPECT_EQ(nlohmann::json::parse(shell.read("c.json"))["reference"]["device"], "cpu");
}

}  // namespace
}  // namespace outrider::test
