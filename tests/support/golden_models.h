#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/engine/numerics.h"
#include "runtime/model/model.h"

namespace outrider::test {

/// A tiny random model, the same file everywhere, whose bits tests/golden/engine_bits.json keeps.
struct GoldenModel {
  /// Tokens whose attention is one chain, as it was before it had splits.
  static constexpr int kShort = 64;

  model::WeightType type;
  bool quantise = false;  // --quantise q8_0
  int head_width = 64;
  std::optional<engine::KvType> kv = {};
  int tokens = kShort;            // of the fixed text
  std::vector<int> windows = {};  // of the two layers

  /// As the file names it: "Q4_1, kv q8_0".
  std::string name() const;
  /// The GGUF file.
  std::vector<std::byte> bytes() const;
  /// The model. @param bytes  of the file, which must outlive it
  model::Model parsed(std::span<const std::byte> bytes) const;
};

/// Every type of weights, and more.
std::vector<GoldenModel> golden_models();
/// Of types that GPUs do not have.
std::vector<GoldenModel> golden_models_of_processors();
/// Attention of three splits, with every type of keys and values, which is f32 for F32 and f16 for Q4_1.
std::vector<GoldenModel> golden_models_of_long_texts();

}  // namespace outrider::test
