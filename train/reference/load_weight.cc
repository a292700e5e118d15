#include "train/reference/load_weight.h"

#include <ATen/ATen.h>

namespace outrider::train {

at::Tensor load_matrix(const model::Weight& weight, const at::TensorOptions& tensors) {
  at::Tensor tensor = at::empty({weight.rows, weight.columns}, at::kFloat);
  float* out = tensor.mutable_data_ptr<float>();
  for (std::int64_t r = 0; r < weight.rows; ++r) weight.read_row(r, out + r * weight.columns);
  return tensor.to(tensors);
}

at::Tensor load_vector(const model::Weight& weight, const at::TensorOptions& tensors) {
  return weight.columns == 0 ? at::Tensor() : load_matrix(weight, tensors).flatten();
}

at::Tensor load_embedding(const model::Model& model, const at::TensorOptions& tensors) {
  const at::Tensor embedding = load_matrix(model.embedding, tensors);
  return model.config.embedding_scale == 1 ? embedding : embedding * model.config.embedding_scale;
}

}  // namespace outrider::train
