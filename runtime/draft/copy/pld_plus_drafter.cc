#include "runtime/draft/copy/pld_plus_drafter.h"

#include <algorithm>

namespace outrider::draft {

DrafterTraits PldPlus::traits() const {
  const int longest =
      lengths_ == nullptr ? draft_length_ : std::max(draft_length_, lengths_->longest());
  return {.most_nodes = branches_ * longest};
}

int PldPlus::begin(const TextStart& text) {
  scored_.reserve(static_cast<std::size_t>(text.most));
  best_.reserve(static_cast<std::size_t>(branches_));
  return text.kept;
}

void PldPlus::fill(const DraftContext& context, TokenTree& tree) {
  const std::span<const Token> committed = context.committed;
  score(context, scored_);
  best_sources(committed, scored_, branches_, best_);
  if (threshold_ > -1)
    std::erase_if(best_, [&](const RankedSource& source) {
      return source.score < static_cast<float>(threshold_);
    });
  const int length = lengths_ == nullptr || best_.empty()
                         ? draft_length_
                         : lengths_->choose(committed, best_.front());
  add_copies(tree, committed, best_, length);
}

}  // namespace outrider::draft
