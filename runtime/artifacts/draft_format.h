#pragma once

#include <fmt/core.h>

#include <span>
#include <string>

#include "runtime/model/architecture.h"

// Names and bounds of the group /draft, for its writer and its reader.

namespace outrider::artifacts::draft_format {

inline constexpr model::WeightType kTypes[] = {model::WeightType::kF32, model::WeightType::kQ8_0,
                                               model::WeightType::kQ4_1};
inline constexpr int kMostLayers = 64;

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

}  // namespace outrider::artifacts::draft_format
