#pragma once

#include <filesystem>

#include "train/parallelspec/export_drafter.h"

namespace outrider::train {

/// Writes a drafter as vLLM loads it, in the format of its speculators (P-EAGLE): config.json, and
/// model.safetensors in bf16, without the embedding, which vLLM takes from the target.
/// @param target  the one it was made from
/// @param folder  is made; files of an earlier export in it are replaced
/// @throws InputError if it has another model, and with the system's reason
void write_vllm_folder(const ExportDrafter& drafter, const model::Model& target,
                       const std::filesystem::path& folder);

}  // namespace outrider::train
