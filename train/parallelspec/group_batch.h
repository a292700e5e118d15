#pragma once

#include <ATen/core/Tensor.h>

#include <span>
#include <utility>
#include <vector>

#include "data/trace.h"
#include "train/batches/packed_batch.h"
#include "train/parallelspec/parallelspec_shape.h"

namespace outrider::train {

/// A trace's output tokens at which groups begin: the first token that each group drafts, ascending.
using GroupStarts = std::vector<std::int32_t>;

/// Texts one after the other, without padding, and the groups that are drafted in them. Row i of a text is
/// the i-th real row of the drafter, at position i (draft::ParallelSpecModel says what it reads); a text ends
/// with the real row of its last group. Slot s of a group drafts the s-th token after those committed.
///
/// The last text makes the numbers of rows and groups round, as that of a PackedBatch does.
struct GroupBatch {
  at::Tensor tokens;  // [rows] int64; undefined if no tokens are read
  /// [rows, layers * width] bf16, of ParallelSpecShape::state_layers; undefined if no states are read.
  at::Tensor states;
  at::Tensor positions;    // [rows] int64
  at::Tensor real_rows;    // [groups] int64: a group's own row
  AttentionLayout layout;  // its queries are groups
  /// [slots], of all groups. A slot without a loss knows nothing of its target.
  std::vector<QueryTargets> targets;
  at::Tensor counted;  // [groups, slots] float: 1 where a slot has a loss
  /// [groups, slots, width] bf16: the target's states, where they are learned; where not counted 0.
  at::Tensor wanted;
  /// Each group's trace, and the first output token that it drafts, but for the last text's groups.
  std::vector<std::pair<std::int32_t, std::int32_t>> groups;
};

/// Whether a slot that drafts this output token has a loss: its mask is 1, and it is not in a loop.
bool has_loss(const data::Trace& trace, std::size_t output);

/// The output tokens at which a group may begin: with a loss, and with a real row before them.
GroupStarts possible_starts(const data::Trace& trace, const ParallelSpecShape& shape);

/// @param starts        [traces]; traces without any are left out
/// @param all_counted   slots count, and have targets, wherever the text goes on; else with a loss only
/// @param most_context  prompt tokens kept before an output, the last ones; 0: all
/// @param device        of the tensors
/// @throws InputError for traces without stored probabilities; std::logic_error for traces without the
///         states that are needed, and for starts that are not possible
GroupBatch pack_groups(std::span<const data::Trace> traces, std::span<const GroupStarts> starts,
                       const ParallelSpecShape& shape, const HeadRows& head, bool all_counted,
                       int most_context, at::Device device = at::kCPU);

}  // namespace outrider::train
