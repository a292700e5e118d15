#include "runtime/engine/kv_magnitude.h"

#include <cmath>
#include <vector>

namespace outrider::engine {
namespace {

constexpr double kLargestHalf = 65504;
constexpr double kLikely = 8;  // times the root mean square

/// A vector's numbers; `usual` for one that the architecture does not have.
std::vector<float> numbers_of(const model::Weight& vector, std::size_t count, float usual) {
  std::vector<float> numbers(count, usual);
  if (vector.rows == 1 && vector.columns == static_cast<std::int64_t>(count))
    vector.read_row(0, numbers.data());
  return numbers;
}

/// Whether a product with a normalised row, scaled and shifted by its norm's weights, is likely beyond.
bool product_is_beyond(const model::Weight& matrix, const model::Weight& bias,
                       const std::vector<float>& gains, const std::vector<float>& shifts) {
  std::vector<float> weights(gains.size());
  for (std::int64_t r = 0; r < matrix.rows; ++r) {
    matrix.read_row(r, weights.data());
    double squares = 0, mean = 0;
    for (std::size_t i = 0; i < weights.size(); ++i) {
      const double scaled = static_cast<double>(weights[i]) * gains[i];
      squares += scaled * scaled;
      mean += static_cast<double>(weights[i]) * shifts[i];
    }
    float added = 0;
    if (bias.rows == matrix.rows) bias.read_row(r, &added);
    if (std::abs(mean + added) + kLikely * std::sqrt(squares) > kLargestHalf) return true;
  }
  return false;
}

}  // namespace

bool likely_beyond_half(const model::Model& model) {
  const auto width = static_cast<std::size_t>(model.config.width);
  for (const model::LayerWeights& layer : model.layers) {
    const std::vector<float> gains = numbers_of(layer.attn_norm, width, 1);
    const std::vector<float> shifts = numbers_of(layer.attn_norm_bias, width, 0);
    if (product_is_beyond(layer.v, layer.v_bias, gains, shifts)) return true;
    if (layer.k_norm.rows == 0) {
      if (product_is_beyond(layer.k, layer.k_bias, gains, shifts)) return true;
      continue;
    }
    // Normalised once more, after the product.
    const auto head = static_cast<std::size_t>(model.config.head_width);
    for (const float gain : numbers_of(layer.k_norm, head, 1))
      if (kLikely * std::abs(gain) > kLargestHalf) return true;
  }
  return false;
}

}  // namespace outrider::engine
