#pragma once

#include <ATen/core/Tensor.h>

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "runtime/model/model.h"
#include "train/optimiser/parameter.h"

namespace outrider::train {

/// The shape of a Llama made of some layers of a target of any kind, counted from 1. A network of experts becomes one as
/// wide as those that are used for a token.
/// @throws InputError for layers that the target lacks
model::ModelConfig draft_config(const model::Model& target, std::span<const int> layers);

/// The trained weights of a decoder layer, [outputs, inputs]; norms are [width]. Matrices that have one
/// input are one.
struct DraftLayer {
  at::Tensor attn_norm;
  at::Tensor q;   // [heads * head_width, width]
  at::Tensor kv;  // [2 * kv_heads * head_width, width]: keys, then values
  at::Tensor o;   // [width, heads * head_width]
  at::Tensor ffn_norm;
  at::Tensor gate_up;  // [2 * ffn_width, width]: gates, then ups
  at::Tensor down;     // [width, ffn_width]
};

/// A target's layer, dequantised, as that of a Llama: where training begins, which is the nearer to the target the more it is
/// one. Biases, and norms of queries and keys, are not taken over; a feed-forward network without gates has its rows as
/// gates too; of experts the first ones stand side by side, each with an equal share.
/// @param experts  how many; 0: the layer has none
DraftLayer load_layer(const model::LayerWeights& weights, int experts,
                      const at::TensorOptions& tensors);

/// Keeps the units of a layer's feed-forward network that have the largest product of the lengths of their gate row, up row
/// and down column, which bounds what a unit adds to the residual stream.
/// @param units   how many; 0: all
/// @param config  of the layer; gets its new width
/// @throws InputError for more units than there are
void keep_units(int units, model::ModelConfig& config, DraftLayer& layer);

/// The same layer with as many units as another has: first its own, then those of the other that keep_units would leave out
/// first. These add nothing yet, and their gate and up rows have the sizes of the first ones.
/// @param wide  has at least as many units; else the layer is returned as it is
DraftLayer widened(const DraftLayer& layer, const DraftLayer& wide);

/// Copies served values into a parameter, and those of a served layer into a layer's.
/// @param path  of what is served
/// @throws InputError naming the first of another shape
void take_values(const at::Tensor& parameter, const at::Tensor& served,
                 const std::filesystem::path& path, const char* what);
void take_layer(const DraftLayer& layer, const DraftLayer& served,
                const std::filesystem::path& path);

/// @param prefix  of the parameters' names
void add_parameters(const DraftLayer& layer, const std::string& prefix,
                    std::vector<Parameter>& all);

/// The rows of the target's head for these tokens: [tokens, width].
at::Tensor load_head(const model::Model& target, const std::vector<Token>& tokens,
                     const at::TensorOptions& tensors);

/// A tensor as a weight in f32 whose bytes the model keeps. @param tensor  a matrix, or a vector: one row
model::Weight kept_weight(const char* name, const at::Tensor& tensor, model::Model& model);

/// The layer as the runtime takes it, in f32; the model keeps its bytes.
model::LayerWeights kept_layer(const DraftLayer& layer, model::Model& model);

}  // namespace outrider::train
