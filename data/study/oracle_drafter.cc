#include "data/study/oracle_drafter.h"

#include <algorithm>

namespace outrider::study {

int OracleDrafter::begin(const draft::TextStart& text) {
  first_ = text.text.size() + 1;
  return ForwardingDrafter::begin(text);
}

void OracleDrafter::fill(const draft::DraftContext& context, draft::TokenTree& tree) {
  const std::size_t begin = std::min(context.committed.size() - first_, accepted_.size());
  const auto from = accepted_.begin() + static_cast<std::ptrdiff_t>(begin);
  const auto run = static_cast<int>(std::find(from, accepted_.end(), 0) - from);
  is_asked_ = run > 0;
  if (!is_asked_) return;
  ForwardingDrafter::fill(context, drafted_.begin(tree, run));
  drafted_.merge_into(tree);
}

void OracleDrafter::verified(std::span<const int> kept, Token next) {
  if (is_asked_) ForwardingDrafter::verified(kept, next);
}

}  // namespace outrider::study
