#include "runtime/engine/cpu/file_block.h"

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/support/hex.h"
#include "tests/support/source_path.h"

namespace outrider::engine::cpu {
namespace {

TEST(FileBlock, QuantisesFloatsToTheBytesOfGgufPy) {
  std::ifstream file(test::source_path("tests/golden/quantise_q8_0.json"));
  const auto golden = nlohmann::json::parse(file);
  const auto floats = test::bytes_of_hex(golden["floats"]);
  const auto stored = test::bytes_of_hex(golden["stored"]);
  ASSERT_EQ(floats.size() / 128, stored.size() / 34);
  for (std::size_t b = 0; b < floats.size() / 128; ++b) {
    const FileBlock ours = read_file_block(model::WeightType::kF32, floats.data(), b);
    const FileBlock theirs = read_file_block(model::WeightType::kQ8_0, stored.data(), b);
    EXPECT_EQ(ours.scale, theirs.scale) << "block " << b;
    EXPECT_EQ(std::memcmp(ours.quants, theirs.quants, 32), 0) << "block " << b;
  }
}

}  // namespace
}  // namespace outrider::engine::cpu
