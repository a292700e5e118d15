#include <fmt/core.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "runtime/engine/certificate.h"
#include "runtime/engine/instruction_set.h"

namespace outrider::engine {
namespace {

// The same bits on every machine: what one wrote down, all others must find.
class GoldenBits : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(OUTRIDER_MODEL))
      GTEST_SKIP() << OUTRIDER_MODEL << " is absent; scripts/setup fetches it";
    model_ = model::load_model(OUTRIDER_MODEL);
  }

  std::string golden(const char* numerics) const {
    std::ifstream file(OUTRIDER_SOURCE_DIR "/tests/golden/engine_bits.json");
    return nlohmann::json::parse(file)[numerics];
  }

  std::string found(Engine engine) const {
    return fmt::format("{:016x}", hash_of_fixed_text(engine));
  }

  model::Model model_;
};

TEST_F(GoldenBits, OfInt8OnEveryInstructionSet) {
  const Engine engine(model_, {Numerics::kInt8, Isa::kAuto, 2});
  for (const Isa isa : available_isas())
    EXPECT_EQ(found(Engine(engine, 2, isa)), golden("int8")) << kernels_for(isa).name;
}

TEST_F(GoldenBits, OfFloats) {
  EXPECT_EQ(found(Engine(model_, {Numerics::kF32, Isa::kAuto, 2})), golden("f32"));
}

}  // namespace
}  // namespace outrider::engine
