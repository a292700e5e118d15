#include "runtime/draft/model/chain_passes.h"

#include <algorithm>
#include <numeric>

namespace outrider::draft {

engine::LogitsRow ChainPasses::extend(Token token) {
  const TreePasses::Node node = {token, passes_.rows() - 1};  // the first follows the text
  passes_.forward({&node, 1});
  return passes_.logits(0);
}

void ChainPasses::keep(int tokens) {
  kept_.resize(static_cast<std::size_t>(std::min(tokens, passes_.rows())));
  std::iota(kept_.begin(), kept_.end(), 0);
  passes_.keep(kept_);
}

}  // namespace outrider::draft
