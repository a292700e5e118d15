#include "tests/support/golden_models.h"

#include <fmt/format.h>

#include "tests/support/tiny_llama.h"

namespace outrider::test {

std::string GoldenModel::name() const {
  return fmt::format(
      "{}{}{}{}{}{}", model::type_name(type), quantise ? " as q8_0" : "",
      head_width == 64 ? "" : fmt::format(", heads of {}", head_width),
      kv == engine::KvType::kQ8_0 ? ", kv q8_0" : "",
      tokens == kShort ? "" : fmt::format(", {} tokens", tokens),
      windows.empty() ? "" : fmt::format(", windows of {}", fmt::join(windows, " and ")));
}

std::vector<std::byte> GoldenModel::bytes() const {
  const TinyShape shape = {.layers = 2,
                           .width = 256,
                           .heads = 4,
                           .kv_heads = 2,
                           .head_width = head_width,
                           .ffn_width = 256,
                           .context = 1024};
  return tiny_llama_gguf(shape, 1, type);
}

model::Model GoldenModel::parsed(std::span<const std::byte> bytes) const {
  model::Model model = model::parse_model(bytes, "tiny");
  model.config.windows = windows;
  return model;
}

std::vector<GoldenModel> golden_models() {
  using enum model::WeightType;
  using engine::KvType;
  return {{kF32},
          {kF16},
          {kBF16},
          {kQ4_0},
          {kQ4_1},
          {kQ5_0},
          {kQ5_1},
          {kQ8_0},
          {kQ4_K},
          {kQ5_K},
          {kQ6_K},
          {kQ3_K},
          {kIQ4_NL},
          {kF32, true},
          {kF16, true},
          {kBF16, true},
          {kF32, false, 80},
          {kBF16, false, 48},
          {kQ4_1, false, 80},
          {kQ8_0, false, 16},
          {kF32, false, 80, KvType::kQ8_0},
          {kQ4_1, false, 64, KvType::kQ8_0}};
}

std::vector<GoldenModel> golden_models_of_processors() {
  using enum model::WeightType;
  return {{kQ2_K}, {kIQ4_XS}, {kMXFP4}};
}

std::vector<GoldenModel> golden_models_of_long_texts() {
  using enum model::WeightType;
  constexpr int kLong = 600;
  return {{.type = kF32, .tokens = kLong},
          {.type = kQ4_1, .tokens = kLong},
          {.type = kQ4_1, .kv = engine::KvType::kQ8_0, .tokens = kLong},
          {.type = kQ4_1, .tokens = kLong, .windows = {300, 40}},
          {.type = kF32, .head_width = 80, .tokens = kLong, .windows = {256, 0}}};
}

}  // namespace outrider::test
