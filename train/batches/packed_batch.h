#pragma once

#include <ATen/core/Tensor.h>

#include <span>
#include <vector>

#include "data/trace.h"
#include "train/batches/head_rows.h"
#include "train/modules/text_attention.h"

namespace outrider::train {

/// The target's stored distributions of the tokens that the queries predict.
struct QueryTargets {
  at::Tensor rows;           // [queries, k] int64: head rows of the stored top k; -1: no such row
  at::Tensor probabilities;  // [queries, k] float: theirs
  at::Tensor greedy;         // [queries] int64: head row of the most likely token, or -1
  at::Tensor taken;          // [queries] int64: head row of the trace's token, or -1

  QueryTargets to(at::Device device) const;
};

/// Texts one after the other, without padding. Row i of a text is its token i at position i; the rows that
/// predict a token of interest are queries. A text ends with its last query.
///
/// The last text is there to make the numbers of rows and queries round, so that the same shapes come again
/// (oneDNN compiles every product for its shape): its queries know nothing of their targets, and have no
/// loss.
struct PackedBatch {
  at::Tensor tokens;        // [rows] int64
  at::Tensor positions;     // [rows] int64
  at::Tensor queries;       // [queries] int64, rows, ascending
  AttentionLayout all;      // every row attends
  AttentionLayout queried;  // the queries alone do
  QueryTargets targets;
  /// Each query's trace, and the output token that it predicts, but for the last text's queries.
  std::vector<std::pair<std::int32_t, std::int32_t>> predicted;
};

/// Which output tokens are predicted: those with a loss (its mask is 1, and not in a loop), or all.
enum class Predicted { kWithLoss, kAll };

/// @param most_context  prompt tokens kept before an output, the last ones; 0: all
/// @param device        of the tensors
/// Traces without a predicted token are left out; there may be no row at all.
/// @throws InputError for traces without stored probabilities
PackedBatch pack(std::span<const data::Trace> traces, const HeadRows& head, Predicted predicted,
                 int most_context = 0, at::Device device = at::kCPU);

}  // namespace outrider::train
