#include "train/reference/reference_rows.h"

#include <ATen/ATen.h>

#include <numeric>
#include <vector>

namespace outrider::train {

ReferenceRows text_rows(std::span<const Token> tokens) {
  std::vector<int> parents(tokens.size());
  std::iota(parents.begin(), parents.end(), -1);
  return tree_rows(tokens, parents);
}

ReferenceRows tree_rows(std::span<const Token> tokens, std::span<const int> parents) {
  const auto rows = static_cast<std::int64_t>(tokens.size());
  ReferenceRows result{at::empty({rows}, at::kLong), at::zeros({rows}, at::kLong),
                       at::eye(rows, at::kBool)};
  for (std::int64_t i = 0; i < rows; ++i) {
    result.tokens[i] = tokens[static_cast<std::size_t>(i)];
    const std::int64_t parent = parents[static_cast<std::size_t>(i)];
    if (parent < 0) continue;
    TORCH_CHECK(parent < i, "row ", i, " comes before its parent ", parent);
    result.visible[i].logical_or_(result.visible[parent]);
    result.positions[i] = result.positions[parent] + 1;
  }
  return result;
}

}  // namespace outrider::train
