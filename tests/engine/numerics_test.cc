#include "runtime/engine/numerics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "runtime/engine/cpu/packed_matrix.h"
#include "runtime/engine/engine.h"
#include "tests/support/expect_input_error.h"
#include "tests/support/tiny_llama.h"

namespace outrider::engine {
namespace {

class Plan : public testing::Test {
 protected:
  NumericsPlan plan(model::WeightType type, Numerics numerics, bool quantise = false,
                    std::optional<KvType> kv = {}) {
    bytes_ = test::tiny_llama_gguf({.head_width = 32}, 1, type);
    model_ = model::parse_model(bytes_, "tiny");
    return plan_numerics(model_, numerics, quantise, kv);
  }

  std::vector<std::byte> bytes_;
  model::Model model_;
};

TEST_F(Plan, FollowsTheFileUnlessTold) {
  EXPECT_EQ(plan(model::WeightType::kQ4_1, Numerics::kAuto).name(), "int8");
  EXPECT_EQ(plan(model::WeightType::kF16, Numerics::kAuto).name(), "bf16");
  EXPECT_EQ(plan(model::WeightType::kBF16, Numerics::kAuto).name(), "bf16");
  EXPECT_EQ(plan(model::WeightType::kF32, Numerics::kAuto).name(), "f32");
  EXPECT_EQ(plan(model::WeightType::kQ8_0, Numerics::kF32).name(), "f32");
  EXPECT_EQ(plan(model::WeightType::kF16, Numerics::kAuto, true).name(), "int8 (q8_0)");
  EXPECT_EQ(plan(model::WeightType::kF32, Numerics::kInt8, true).name(), "int8 (q8_0)");
}

TEST(Shapes, OfHeadsThatTheKernelsLackAreRefused) {
  const auto refused = [](const test::TinyShape& shape, const char* message) {
    const auto bytes = test::tiny_llama_gguf(shape, 1, model::WeightType::kF32);
    const model::Model model = model::parse_model(bytes, "tiny");
    test::expect_input_error([&] { make_engine(model, {.threads = 1}); }, message);
  };
  refused({.head_width = 24}, "the head width is 24, and this engine takes multiples of 16");
  refused({.heads = 3, .kv_heads = 1, .head_width = 16},
          "the width of all query heads is 48, and this engine takes multiples of 32");
}

TEST_F(Plan, KeepsWeightsAtTheirSizeUnlessTheyAreTheReference) {
  using model::WeightType;
  EXPECT_EQ(cpu::packing_of(plan(WeightType::kF16, Numerics::kAuto), WeightType::kF16),
            cpu::Packing::kF16);
  EXPECT_EQ(cpu::packing_of(plan(WeightType::kF16, Numerics::kF32), WeightType::kF16),
            cpu::Packing::kF32);
  EXPECT_EQ(cpu::packing_of(plan(WeightType::kQ4_1, Numerics::kAuto), WeightType::kBF16),
            cpu::Packing::kBf16);
  EXPECT_EQ(cpu::packing_of(plan(WeightType::kF16, Numerics::kAuto, true), WeightType::kF16),
            cpu::Packing::kU8);
}

TEST_F(Plan, KeepsKeysAndValuesAsIsUsualUnlessToldAndThenSaysSo) {
  using model::WeightType;
  const auto check = [](const NumericsPlan& plan, KvType kv, const char* name) {
    EXPECT_EQ(plan.kv, kv) << name;
    EXPECT_EQ(plan.name(), name);
  };
  const auto by_default = Numerics::kAuto, f32 = Numerics::kF32;
  check(plan(WeightType::kQ4_1, by_default), KvType::kF16, "int8");
  check(plan(WeightType::kQ4_1, f32), KvType::kF32, "f32");
  check(plan(WeightType::kQ4_1, by_default, false, KvType::kF16), KvType::kF16, "int8");
  check(plan(WeightType::kQ4_1, by_default, false, KvType::kF32), KvType::kF32, "int8 kv f32");
  check(plan(WeightType::kQ4_1, f32, false, KvType::kF16), KvType::kF16, "f32 kv f16");
  check(plan(WeightType::kQ4_1, f32, false, KvType::kQ8_0), KvType::kQ8_0, "f32 kv q8_0");
  check(plan(WeightType::kF16, by_default, true, KvType::kQ8_0), KvType::kQ8_0,
        "int8 (q8_0) kv q8_0");
  check(plan(WeightType::kF16, by_default, true, KvType::kF32), KvType::kF32, "int8 (q8_0) kv f32");
}

TEST_F(Plan, RefusesWhatTheWeightsAreNot) {
  test::expect_input_error([&] { plan(model::WeightType::kF16, Numerics::kInt8); },
                           "expected quantised weights; --quantise q8_0 makes them at load");
  test::expect_input_error([&] { plan(model::WeightType::kQ4_0, Numerics::kBf16); },
                           "expected bf16 or f16 weights");
  test::expect_input_error([&] { plan(model::WeightType::kF32, Numerics::kBf16); },
                           "expected bf16 or f16 weights");
  test::expect_input_error([&] { plan(model::WeightType::kQ4_0, Numerics::kAuto, true); },
                           "they are quantised already");
  test::expect_input_error([&] { plan(model::WeightType::kF16, Numerics::kF32, true); },
                           "--quantise: quantised weights need --numerics int8 or auto");
}

TEST(Packing, TellsHowFarItIs) {
  const auto bytes = test::tiny_llama_gguf({.head_width = 32}, 1, model::WeightType::kQ4_1);
  const model::Model model = model::parse_model(bytes, "tiny");
  std::vector<std::int64_t> packed;
  std::int64_t all = 0;
  EngineOptions options = {.threads = 2};
  options.on_packed = [&](std::int64_t done, std::int64_t total) {
    packed.push_back(done);
    all = total;
  };
  const auto engine = make_engine(model, options);
  ASSERT_EQ(packed.size(), 7 * model.layers.size() + 1);
  EXPECT_TRUE(std::is_sorted(packed.begin(), packed.end()));
  EXPECT_LT(packed.front(), all);
  EXPECT_EQ(packed.back(), all);
  EXPECT_EQ(all, engine->weight_bytes());
}

}  // namespace
}  // namespace outrider::engine
