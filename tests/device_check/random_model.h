#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "runtime/model/model.h"

namespace outrider::device_check {

/// The shape of a llama model, and how its matrices are stored.
struct ModelShape {
  std::string name;
  int layers;
  int width;
  int heads;
  int kv_heads;
  int head_width;
  int ffn_width;
  int vocab;
  model::WeightType matrices;
  /// Of V and down in half of the layers, as llama.cpp mixes Q4_K_M; otherwise as `matrices`.
  model::WeightType better_half;
  model::WeightType head;
  /// Every layer has the weights of its kind's first one, so that a large model is made in seconds.
  bool layers_alike = false;
};

/// The default model's shape.
ModelShape shape_of_135m();
/// Qwen2.5 0.5B's without biases, and as llama.cpp stores it where Q4_K_M is asked for: its rows are no multiples of 256.
ModelShape shape_of_05b();
/// Llama 3 8B's, as Q4_K_M.
ModelShape shape_of_8b();
/// The latter with two tiny layers, for runs on the emulation.
ModelShape tiny_shape();

/// A model of random weights that keep the residual stream of order one. The same shape and seed give the same bytes on
/// every machine.
model::Model random_model(const ModelShape& shape, std::uint64_t seed);

}  // namespace outrider::device_check
