#include "runtime/draft/ngram/bigram_drafter.h"

namespace outrider::draft {

void Bigram::fill(const DraftContext& context, TokenTree& tree) {
  tree.set_form(options_.form);
  bigram_.add(context, options_.drafts, options_.draft_length, tree);
}

}  // namespace outrider::draft
