#include "runtime/model/quantise.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>

#include "runtime/base/half.h"

namespace outrider::model {
namespace {

constexpr int kNumbers = 32;  // in a block

void put_half(float value, std::byte* out) {
  const Half half = float_to_half(value);
  std::memcpy(out, &half, sizeof half);
}

float inverse_of(float scale) { return scale == 0 ? 0.0f : 1.0f / scale; }

void quantise_q8_0(const float* x, std::byte* block) {
  float largest = 0;
  for (int i = 0; i < kNumbers; ++i) largest = std::max(largest, std::abs(x[i]));
  const float scale = largest / 127.0f;
  const float factor = inverse_of(scale);
  put_half(scale, block);
  for (int i = 0; i < kNumbers; ++i)
    block[2 + i] = static_cast<std::byte>(static_cast<int>(std::round(x[i] * factor)));
}

void quantise_q4_1(const float* x, std::byte* block) {
  const auto ends = std::minmax_element(x, x + kNumbers);
  const float* const smallest =
      ends.first;  // not a structured binding: Clang 14 cannot capture one
  const float* const largest = ends.second;
  const float scale = (*largest - *smallest) / 15.0f;
  const float factor = inverse_of(scale);
  put_half(scale, block);
  put_half(*smallest, block + 2);
  const auto quant = [&](int i) {
    return std::min(15, static_cast<int>((x[i] - *smallest) * factor + 0.5f));
  };
  for (int i = 0; i < kNumbers / 2; ++i)
    block[4 + i] = static_cast<std::byte>(quant(i) | quant(i + kNumbers / 2) << 4);
}

}  // namespace

bool can_quantise_to(WeightType type) {
  return type == WeightType::kQ8_0 || type == WeightType::kQ4_1;
}

void quantise(WeightType type, std::span<const float> numbers, std::byte* out) {
  if (!can_quantise_to(type) || numbers.size() % kNumbers != 0)
    throw std::logic_error(
        fmt::format("quantise: {} numbers to {}", numbers.size(), type_name(type)));
  const auto quantise_block = type == WeightType::kQ8_0 ? quantise_q8_0 : quantise_q4_1;
  for (std::size_t i = 0; i < numbers.size(); i += kNumbers, out += block_shape(type).bytes)
    quantise_block(numbers.data() + i, out);
}

std::vector<std::byte> quantise(WeightType type, std::span<const float> numbers) {
  const BlockShape shape = block_shape(type);
  std::vector<std::byte> out(numbers.size() / static_cast<std::size_t>(shape.numbers) *
                             static_cast<std::size_t>(shape.bytes));
  quantise(type, numbers, out.data());
  return out;
}

}  // namespace outrider::model
