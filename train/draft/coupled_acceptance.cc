#include "train/draft/coupled_acceptance.h"

#include <ATen/ATen.h>

namespace outrider::train {

at::Tensor coupled_acceptance(const at::Tensor& p, const at::Tensor& p_rest, const at::Tensor& q,
                              const at::Tensor& q_rest) {
  // Both above and below times p_v q_v.
  const at::Tensor of_others =
      at::maximum(p.unsqueeze(1) * q.unsqueeze(2), q.unsqueeze(1) * p.unsqueeze(2)).sum(-1);
  const at::Tensor total = of_others + at::maximum(p_rest * q, q_rest * p);
  return at::where(total > 0, p * q / total, at::zeros_like(total)).sum(-1);
}

}  // namespace outrider::train
