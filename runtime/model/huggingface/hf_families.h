#pragma once

#include <span>
#include <string_view>

#include "runtime/model/config.h"
#include "runtime/model/json_object.h"
#include "runtime/model/model.h"

namespace outrider::model {

/// Whether a model_type is of Gemma: gemma2 or gemma3_text.
bool is_gemma(std::string_view model_type);

/// The keys of a config.json that a type has besides those of all that are built like llama.
std::span<const std::string_view> hf_family_keys(std::string_view model_type);

/// Whether the weights of the experts are stored as blocks of MXFP4, as gpt-oss's publisher has them. Such a folder is read;
/// other weights that are quantised are not.
bool has_mxfp4_experts(const JsonObject& file);

/// Sets what a type implies, and what its own keys say. What all types have is set.
/// @throws InputError naming a key that is missing, out of range or not supported
void read_hf_family(const JsonObject& file, ModelConfig& shape);

/// Gemma's folders hold the weights of norms less one; makes them whole, in float32.
void complete_norms(Model& model);

}  // namespace outrider::model
