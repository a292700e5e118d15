#include "runtime/draft/ngram/ngrammys_drafter.h"

#include <utility>

#include "runtime/draft/ngram/context_ngram_drafter.h"

namespace outrider::draft {

NGrammys::NGrammys(TablesPtr tables, const NGrammysOptions& options)
    : bigram_(std::move(tables)),
      options_(options),
      index_(options.query, options.draft_length, options.drafts) {}

void NGrammys::fill(const DraftContext& context, TokenTree& tree) {
  tree.set_form(options_.form);
  index_.extend(context.committed);
  index_.of_suffix(found_);
  add_continuations(tree, context.committed, found_, options_.draft_length);
  bigram_.add(context, options_.drafts - static_cast<int>(found_.size()), options_.draft_length,
              tree);
}

}  // namespace outrider::draft
