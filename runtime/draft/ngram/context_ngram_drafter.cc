#include "runtime/draft/ngram/context_ngram_drafter.h"

namespace outrider::draft {

ContextNgram::ContextNgram(const ContextNgramOptions& options)
    : options_(options), index_(options.query, options.draft_length, options.drafts) {}

void add_continuations(TokenTree& tree, std::span<const Token> text,
                       std::span<const NgramIndex::Continuation> found, int length) {
  for (std::size_t rank = 0; rank < found.size(); ++rank)
    tree.add_draft(text.subspan(found[rank].latest, static_cast<std::size_t>(length)),
                   {.source = Source::kContext,
                    .rank = static_cast<int>(rank),
                    .position = static_cast<int>(found[rank].latest)});
}

void ContextNgram::fill(const DraftContext& context, TokenTree& tree) {
  tree.set_form(options_.form);
  index_.extend(context.committed);
  index_.of_suffix(found_);
  add_continuations(tree, context.committed, found_, options_.draft_length);
}

}  // namespace outrider::draft
