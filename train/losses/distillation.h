#pragma once

#include <ATen/core/Tensor.h>

#include "train/batches/packed_batch.h"
#include "train/modules/precision.h"

namespace outrider::train {

/// Which token a hard label is: the target's most likely one, or the one that the trace took.
enum class HardLabel { kGreedy, kTaken };

struct DistillationOptions {
  /// Share of the cross-entropy with the hard label; the rest is the divergence from the target.
  double hard_share = 0;
  HardLabel label = HardLabel::kGreedy;
};

/// The loss of a student's distribution q over the rows of a trimmed head, summed over queries:
///
///   (1 - hard_share) KL(p, q) + hard_share · -log q(label)
///
/// p has one bucket for all that is not among the stored top k or has no row: with S the stored tokens that
/// have one and rest = 1 - Σ_S, KL = Σ_S p log(p / q) + p_rest log(p_rest / q_rest). A label without a
/// row counts as 0.
///
/// Head and loss in one, some rows at a time: neither logits nor their gradient are kept. Differentiable in
/// `states`, and in `head` where it requires a gradient: a frozen one costs none.
/// @param states  [queries, width]
/// @param head    [rows, width]
/// @return a number in double
at::Tensor distillation(const at::Tensor& states, const at::Tensor& head,
                        const QueryTargets& targets, const DistillationOptions& options,
                        Precision precision);

}  // namespace outrider::train
