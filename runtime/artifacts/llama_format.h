#pragma once

#include <fmt/core.h>

#include <span>
#include <string>

#include "runtime/model/gguf/gguf_tensor_names.h"

// Names and bounds of groups with a Llama, for their writer and their reader.

namespace outrider::artifacts::llama_format {

/// The tensors of a layer, by their names in GGUF files.
inline std::span<const model::LayerTensor> layer_tensors() {
  return model::gguf_tensor_names("llama")->layer;
}
inline bool is_norm(const model::LayerTensor& tensor) { return tensor.rows == model::Extent::kOne; }
/// A dataset with that tensor of all layers: [layers, width] floats of a norm, [layers, rows, bytes of a
/// row] of a matrix.
inline std::string path_of(const std::string& group, const model::LayerTensor& tensor) {
  return fmt::format("{}/layers/{}", group, tensor.name);
}

}  // namespace outrider::artifacts::llama_format
