#include "runtime/draft/ngram/ngrammys_drafter.h"

#include <utility>

namespace outrider::draft {

NGrammys::NGrammys(TablesPtr tables, const NGrammysOptions& options)
    : bigram_(std::move(tables)),
      options_(options),
      continuations_(options.query, options.drafts, options.draft_length) {}

void NGrammys::fill(const DraftContext& context, TokenTree& tree) {
  tree.set_form(options_.form);
  const int found = continuations_.add(context, tree);
  bigram_.add(context, options_.drafts - found, options_.draft_length, tree);
}

}  // namespace outrider::draft
