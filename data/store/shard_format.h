#pragma once

#include <fmt/core.h>

#include <string>

#include "runtime/engine/tap_request.h"

namespace outrider::data {

inline constexpr const char* kShardFormat = "outrider trace shard";
/// Incremented with every change after which an older program would misread a shard.
inline constexpr int kShardVersion = 1;

/// The dataset of a layer's hidden states: "/states/layer_12", "/states/final_norm".
inline std::string states_path(int layer) {
  if (layer == engine::kFinalNorm) return "/states/final_norm";
  return fmt::format("/states/layer_{}", layer);
}

}  // namespace outrider::data
