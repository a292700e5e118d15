#include "train/draft/quantised_draft.h"

#include <fmt/core.h>

#include "runtime/base/error.h"
#include "runtime/model/quantise.h"

namespace outrider::train {
namespace {

constexpr std::int64_t kBlock = 32;  // of both types

void quantise_matrix(model::Model& draft, model::WeightType type, model::Weight& weight) {
  if (weight.columns % kBlock != 0)
    throw InputError(fmt::format(
        "--quantise: {} has rows of {} numbers, expected a multiple of {}; give --quantise none",
        weight.name, weight.columns, kBlock));
  std::vector<float> numbers(static_cast<std::size_t>(weight.rows * weight.columns));
  for (std::int64_t row = 0; row < weight.rows; ++row)
    weight.read_row(row, numbers.data() + row * weight.columns);
  weight.type = type;
  weight.bytes = draft.keep(model::quantise(type, numbers));
}

model::WeightType type_named(const std::string& type) {
  return type == "q4_1" ? model::WeightType::kQ4_1 : model::WeightType::kQ8_0;
}

}  // namespace

model::Model quantised_residual(model::Model residual, const std::string& type) {
  if (type != "none") quantise_matrix(residual, type_named(type), residual.head);
  return residual;
}

model::Model quantised_draft(model::Model draft, const std::string& type) {
  if (type == "none") return draft;
  const model::WeightType to = type_named(type);
  if (draft.state_projection.rows > 0) quantise_matrix(draft, to, draft.state_projection);
  for (model::LayerWeights& layer : draft.layers)
    for (model::Weight* matrix :
         {&layer.q, &layer.k, &layer.v, &layer.o, &layer.gate, &layer.up, &layer.down})
      quantise_matrix(draft, to, *matrix);
  quantise_matrix(draft, to, draft.head);
  return draft;
}

}  // namespace outrider::train
