#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "runtime/model/config.h"
#include "runtime/model/model.h"

namespace outrider::model {

/// A size that a tensor's shape is made of.
enum class Extent { kOne, kWidth, kQueries, kKeys, kHeadWidth, kFfnWidth, kVocab, kPositions };
std::int64_t extent_of(Extent extent, const ModelConfig& config);

/// How a file orders the rows of a matrix. Rotary embedding turns pairs of a head's numbers: a head
/// of width w is stored either as halves (i with i + w/2, as everything here expects) or as
/// neighbours (2i with 2i + 1, what GGUF files of the llama type hold for Q and K). Where queries, keys
/// and values share a tensor, those of all heads follow each other, or head by head the three of each.
enum class RowOrder { kAsIs, kNeighbours, kHeadByHead };

/// A tensor of the whole model, and where it goes. A vector of the file becomes a column where `columns`
/// is kOne, else a row.
struct ModelTensor {
  std::string_view name;
  Weight Model::*slot;
  Extent rows;
  Extent columns;
  bool may_be_absent = false;
};

/// A tensor that each layer has; `name` follows the layer's prefix. Entries of the same name, one after
/// another, share one tensor: it holds the rows of the first slot, then those of the next (see RowOrder).
struct LayerTensor {
  std::string_view name;
  Weight LayerWeights::*slot;
  Extent rows;
  Extent columns;
};

/// How a kind of file names the tensors of an architecture. Everything that is not listed is
/// refused, so a model that needs more than we compute cannot be loaded by mistake.
struct TensorNames {
  std::string_view layer_prefix;  // "blk." before the layer's number, counted from 0
  std::span<const ModelTensor> model;
  std::span<const LayerTensor> layer;
  std::span<const LayerTensor> more = {};  // of each layer, beside those
  RowOrder heads = RowOrder::kAsIs;        // of the matrices of queries, keys and values
  std::string_view base = {};              // before every name, but not in every folder
};

/// The names in a GGUF file. @returns nullptr for an architecture that we do not compute.
const TensorNames* gguf_tensor_names(std::string_view architecture);

/// The names in a Hugging Face folder, by its model_type. @returns nullptr likewise
const TensorNames* hf_tensor_names(std::string_view model_type);

}  // namespace outrider::model
