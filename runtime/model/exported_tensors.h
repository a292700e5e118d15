#pragma once

#include <string>
#include <vector>

#include "runtime/model/model.h"
#include "runtime/model/tensor_names.h"

namespace outrider::model {

/// The model with a head for every token. Those that a trimmed head lacks get the mean of its rows: their
/// logit is the mean of all, and so never the best, whatever their ids are. (A copy of one row would tie
/// with it, and win by a lower id.) A trimmed head of a type that `quantise` does not make becomes F32.
Model with_whole_head(const Model& model);

/// A tensor of a model and its name in a file.
struct ExportedTensor {
  std::string name;
  const Weight* weight;
  bool is_rotated;  // its rows are a head's halves that are rotated together: queries and keys
};

/// What a draft model is called in other programs' files: a "llama", or, if its embeddings are scaled, a "granite",
/// which is a Llama with that scale and three others.
const char* exported_architecture(const ModelConfig& config);

/// Every tensor that the model has, of those that `names` lists; no head where it is the embedding.
std::vector<ExportedTensor> exported_tensors(const Model& model, const TensorNames& names);

}  // namespace outrider::model
