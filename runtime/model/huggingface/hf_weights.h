#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "runtime/model/assemble_weights.h"
#include "runtime/model/mapped_file.h"
#include "runtime/model/safetensors_file.h"

namespace outrider::model {

/// A tensor that is no matrix of floats: of which weights are made, where a type's folders have it.
struct HfPart {
  SafeTensor tensor;
  std::string file;
};

/// The tensors of a Hugging Face folder, and the files they are views into.
struct HfWeights {
  NamedWeights weights;
  std::map<std::string, HfPart> parts;
  std::vector<std::shared_ptr<MappedFile>> files;
};

/// Opens `model.safetensors`, or the files that `model.safetensors.index.json` lists.
/// @throws InputError if there is neither, the index names a path instead of a file of the folder, or a
///         tensor is missing from its file, or is not listed
HfWeights open_hf_weights(const std::filesystem::path& folder);

/// @throws InputError naming the first part that is left: one of more than two dimensions, or of bytes
void refuse_parts(const HfWeights& weights);

}  // namespace outrider::model
