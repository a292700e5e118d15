#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "runtime/model/assemble_weights.h"
#include "runtime/model/mapped_file.h"

namespace outrider::model {

/// The tensors of a Hugging Face folder, and the files they are views into.
struct HfWeights {
  NamedWeights weights;
  std::vector<std::shared_ptr<MappedFile>> files;
};

/// Opens `model.safetensors`, or the files that `model.safetensors.index.json` lists.
/// @throws InputError if there is neither, the index names a path instead of a file of the folder, or a
///         tensor is missing from its file, is not listed, or has more than two dimensions
HfWeights open_hf_weights(const std::filesystem::path& folder);

}  // namespace outrider::model
