#include "tests/support/state_model.h"

#include <cmath>
#include <cstring>
#include <random>
#include <utility>
#include <vector>

#include "runtime/model/quantise.h"

namespace outrider::test {
namespace {

std::vector<std::byte> stored(model::WeightType type, const std::vector<float>& numbers) {
  if (model::can_quantise_to(type)) return model::quantise(type, numbers);
  std::vector<std::byte> bytes;
  for (const float number : numbers) {
    std::byte buffer[sizeof(float)];
    std::memcpy(buffer, &number, sizeof number);
    // bfloat16 is the upper half of a float.
    const bool half = type == model::WeightType::kBF16;
    bytes.insert(bytes.end(), buffer + (half ? 2 : 0), buffer + sizeof number);
  }
  return bytes;
}

}  // namespace

model::Weight random_weight(model::Model& owner, const char* name, model::WeightType type,
                            std::int64_t rows, std::int64_t columns, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<float> numbers(static_cast<std::size_t>(rows * columns));
  const float scale = std::sqrt(3.0f / static_cast<float>(columns));
  for (float& number : numbers)
    number = scale * (static_cast<float>(random() % 2001) / 1000.0f - 1.0f);
  return {.name = name,
          .type = type,
          .rows = rows,
          .columns = columns,
          .bytes = owner.keep(stored(type, numbers)),
          .row_order = {}};
}

model::Model state_model(const model::Model& from, model::WeightType type, std::uint64_t seed) {
  model::Model model = from;
  model.config.state_inputs = 2 * from.config.width;
  model.state_projection =
      random_weight(model, "fc", type, from.config.width, model.config.state_inputs, seed);
  model.final_norm = {};
  return model;
}

}  // namespace outrider::test
