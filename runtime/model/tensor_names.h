#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "runtime/model/config.h"
#include "runtime/model/model.h"

namespace outrider::model {

/// A dimension of a tensor.
enum class Extent {
  kOne,
  kWidth,
  kHeads,
  kQueries,
  kKeys,
  kHeadWidth,
  kFfnWidth,
  kExpertCount,
  kVocab,
  kPositions
};
std::int64_t extent_of(Extent extent, const ModelConfig& config);

/// How a file orders the rows of a matrix. Rotary embedding rotates pairs of a head's numbers: a head
/// of width w is stored either as halves (i with i + w/2, as used everywhere here) or as neighbours
/// (2i with 2i + 1, as in GGUF files of the llama type for Q and K). If queries, keys and values share
/// a tensor, it has all queries, all keys, then all values, or the three of each head in turn.
enum class RowOrder { kAsIs, kNeighbours, kHeadByHead };

/// A tensor of the whole model and its member. A vector becomes a column if `columns` is kOne, else a row.
struct ModelTensor {
  std::string_view name;
  Weight Model::*slot;
  Extent rows;
  Extent columns;
  bool may_be_absent = false;
};

/// A tensor of each layer; `name` follows the layer's prefix. Consecutive entries of the same name share
/// one tensor: the rows of the first slot, then those of the next (see RowOrder).
struct LayerTensor {
  std::string_view name;
  Weight LayerWeights::*slot;
  Extent rows;
  Extent columns;
};

/// A tensor of each layer's experts: one of every expert, whose number stands for "{}" in the name, or one of all, which
/// has their rows one after the other.
struct ExpertTensor {
  std::string_view name;
  Weight ExpertWeights::*slot;
  Extent rows;
  Extent columns;
};

/// The tensor names of an architecture in a kind of file. Unlisted tensors are refused, so a model that
/// needs more than is implemented cannot be loaded by mistake.
struct TensorNames {
  std::string_view layer_prefix;  // "blk." before the layer's number, counted from 0
  std::span<const ModelTensor> model;
  std::span<const LayerTensor> layer;
  std::span<const LayerTensor> more = {};  // additional ones of each layer
  RowOrder heads = RowOrder::kAsIs;        // of the matrices of queries, keys and values
  std::string_view base = {};              // optional prefix of all names
  std::span<const ExpertTensor> experts = {};
};

}  // namespace outrider::model
