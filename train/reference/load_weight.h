#pragma once

#include <ATen/core/Tensor.h>

#include "runtime/model/model.h"

namespace outrider::train {

/// The weight dequantised, [rows, columns], in this type and on this device.
at::Tensor load_matrix(const model::Weight& weight, const at::TensorOptions& tensors);

/// Its numbers in one row; undefined if the model has no such vector.
at::Tensor load_vector(const model::Weight& weight, const at::TensorOptions& tensors);

/// The first states of all tokens: the embedding, scaled, [vocab, width].
at::Tensor load_embedding(const model::Model& model, const at::TensorOptions& tensors);

}  // namespace outrider::train
