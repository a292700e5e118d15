#pragma once

#include <string>

#include "runtime/model/huggingface/hf_weights.h"
#include "runtime/model/model.h"

namespace outrider::model {

/// gpt-oss's folders have a tensor of all experts of a layer, in which the rows of gate and up alternate. Its matrices are
/// blocks of MXFP4 (`NAME_blocks` [experts, rows, blocks, 16] and `NAME_scales` [experts, rows, blocks], where a byte has
/// two neighbouring codes), or transposed [experts, columns, rows]. Makes tensors of them as other folders have them, and
/// as the engine reads them: `gate_proj`, `up_proj` and `down_proj` [experts * rows, columns] and their biases
/// [experts, rows]. Rows of the matrices are made of the file's when they are read; biases are copies that the model keeps.
/// @param folder  for messages
/// @throws InputError naming a tensor that is missing or of another shape or type
void separate_experts(const std::string& folder, HfWeights& weights, Model& model);

}  // namespace outrider::model
