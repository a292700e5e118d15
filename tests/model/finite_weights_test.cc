#include "runtime/model/finite_weights.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <random>
#include <vector>

#include "runtime/base/memory.h"
#include "tests/support/expect_input_error.h"
#include "tests/support/large_llama.h"
#include "tests/support/source_path.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tiny_llama.h"

namespace outrider::model {
namespace {

constexpr WeightType kTypes[] = {WeightType::kF32,  WeightType::kF16,    WeightType::kBF16,
                                 WeightType::kQ4_0, WeightType::kQ4_1,   WeightType::kQ5_0,
                                 WeightType::kQ5_1, WeightType::kQ8_0,   WeightType::kQ4_K,
                                 WeightType::kQ5_K, WeightType::kQ6_K,   WeightType::kQ2_K,
                                 WeightType::kQ3_K, WeightType::kIQ4_NL, WeightType::kIQ4_XS};

class FiniteWeights : public testing::TestWithParam<WeightType> {};

TEST_P(FiniteWeights, AreThoseWhoseNumbersAreAllFinite) {
  constexpr int kRows = 400, kColumns = 512;
  Weight weight{.name = "w",
                .type = GetParam(),
                .rows = kRows,
                .columns = kColumns,
                .bytes = {},
                .row_order = {}};
  std::vector<std::byte> bytes(static_cast<std::size_t>(kRows * weight.row_bytes()));
  std::mt19937 random(3);
  // Every byte is a part of some block; of the floats in it about one in 32 or 256 is not finite.
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
  int finite = 0;
  std::vector<float> numbers(kColumns);
  for (int r = 0; r < kRows; ++r) {
    weight.rows = 1;
    weight.bytes = std::span(bytes).subspan(static_cast<std::size_t>(r * weight.row_bytes()));
    // All but one block are zeros, so that rows of both kinds are common.
    const BlockShape block = block_shape(weight.type);
    const int kept = static_cast<int>(random() % static_cast<unsigned>(kColumns / block.numbers));
    for (int b = 0; b < kColumns / block.numbers; ++b)
      if (b != kept)
        std::fill_n(bytes.begin() + r * weight.row_bytes() + b * block.bytes, block.bytes,
                    std::byte{});
    weight.read_row(0, numbers.data());
    const bool all = std::all_of(numbers.begin(), numbers.end(),
                                 [](float number) { return std::isfinite(number); });
    finite += all;
    EXPECT_EQ(first_row_not_finite(weight).has_value(), !all) << "row " << r;
  }
  EXPECT_GT(finite, kRows / 2);
  EXPECT_LT(finite, kRows);
}

INSTANTIATE_TEST_SUITE_P(, FiniteWeights, testing::ValuesIn(kTypes),
                         [](const auto& type) { return std::string(type_name(type.param)); });

TEST(CheckFinite, NamesTheRowAsItIsStored) {
  auto writer = test::tiny_llama_writer({}, 7, WeightType::kF32);
  check_finite(parse_model(writer.bytes(), "tiny"));
  // Q and K are stored in another order than that of their rows here.
  auto& tensor = writer.tensor("blk.1.attn_q.weight");
  std::fill_n(tensor.data.begin() + static_cast<std::ptrdiff_t>(5 * tensor.shape[0] * 4), 4,
              std::byte{0xFF});
  const auto bytes = writer.bytes();
  Model model = parse_model(bytes, "tiny");
  model.path = "models/tiny.gguf";
  test::expect_input_error([&] { check_finite(model); },
                           "models/tiny.gguf: tensor 'blk.1.attn_q.weight', row 5: holds a number");
}

TEST(CheckFinite, NamesTheFileOfAFolder) {
  namespace fs = std::filesystem;
  const test::TemporaryFolder folder;
  fs::copy(test::source_path("tests/golden/hf/llama_sharded"), folder.path() / "model");
  const fs::path file = folder.path() / "model/model-00003-of-00005.safetensors";
  check_finite(load_model(folder.path() / "model"));
  std::fstream spoiled(file, std::ios::binary | std::ios::in | std::ios::out);
  spoiled.seekp(-4, std::ios::end);
  spoiled.write("\xff\xff\xff\xff", 4);
  spoiled.close();
  test::expect_input_error([&] { check_finite(load_model(folder.path() / "model")); },
                           file.string() + ": tensor 'model.layers.", "holds a number that is NaN");
}

TEST(CheckFinite, TellsHowFarItIsAndLeavesLittleOfTheFileInMemory) {
  if (OUTRIDER_SANITIZED) GTEST_SKIP() << "sanitizers keep their own memory";
  const test::TemporaryFolder folder;
  const std::int64_t bytes = test::write_large_llama(folder.path() / "large", 8);
  const Model model = load_model(folder.path() / "large");
  const std::int64_t before = rss_bytes();
  std::vector<std::int64_t> told;
  std::int64_t most = 0, all = 0;
  check_finite(model, [&](std::int64_t read, std::int64_t total) {
    told.push_back(read);
    all = total;
    most = std::max(most, rss_bytes());
  });
  EXPECT_EQ(told.front(), 0);
  EXPECT_EQ(told.back(), all);
  EXPECT_EQ(all, bytes);
  EXPECT_TRUE(std::is_sorted(told.begin(), told.end()));
  EXPECT_LT(most - before, bytes / 2);
}

}  // namespace
}  // namespace outrider::model
