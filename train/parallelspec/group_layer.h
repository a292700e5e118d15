#pragma once

#include <ATen/core/Tensor.h>

#include "runtime/model/config.h"
#include "train/draft/draft_layer.h"
#include "train/modules/precision.h"
#include "train/parallelspec/group_batch.h"

namespace outrider::train {

/// Rows before a layer.
struct LayerRows {
  at::Tensor begun;   // [rows, width]: the first state of the residual stream
  at::Tensor normed;  // [rows, inputs]: what queries, keys and values are made of
};

/// What the residual stream of the groups' slots is the sum of, each [groups * slots, width].
struct GroupStream {
  at::Tensor begun, attention, feed_forward;

  at::Tensor sum() const;
};

/// A decoder layer on the slots of groups, each at the position after the one before it, which attend as
/// in group_attention. A group's real row is its first slot if the batch has one slot more than there are masks.
/// @param rows   of the batch
/// @param masks  the same in all groups; undefined: none
GroupStream group_layer(const DraftLayer& layer, const model::ModelConfig& config,
                        const GroupBatch& batch, const LayerRows& rows, const LayerRows& masks,
                        Precision precision);

}  // namespace outrider::train
