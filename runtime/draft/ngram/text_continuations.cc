#include "runtime/draft/ngram/text_continuations.h"

namespace outrider::draft {

int TextContinuations::begin(const TextStart& text) {
  index_.clear();
  index_.reserve(static_cast<std::size_t>(text.most));
  return text.kept;
}

int TextContinuations::add(const DraftContext& context, TokenTree& tree) {
  index_.extend(context.committed);
  index_.of_suffix(found_);
  for (std::size_t rank = 0; rank < found_.size(); ++rank)
    tree.add_draft(
        context.committed.subspan(found_[rank].latest, static_cast<std::size_t>(length_)),
        {.source = Source::kContext,
         .rank = static_cast<int>(rank),
         .position = static_cast<int>(found_[rank].latest)});
  return static_cast<int>(found_.size());
}

}  // namespace outrider::draft
