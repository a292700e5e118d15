#include "runtime/draft/ngram/context_ngram_drafter.h"

namespace outrider::draft {

void ContextNgram::fill(const DraftContext& context, TokenTree& tree) {
  tree.set_form(options_.form);
  continuations_.add(context, tree);
}

}  // namespace outrider::draft
