#include "runtime/draft/copy/with_reference.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "runtime/draft/copy/copy_sources.h"

namespace outrider::draft {

WithReference::WithReference(std::unique_ptr<Drafter> copier,
                             std::shared_ptr<const ReferenceIndex> reference,
                             const WithReferenceOptions& options)
    : ForwardingDrafter(std::move(copier)),
      reference_(std::move(reference)),
      options_(options),
      shortest_(options.shortest) {
  const DrafterTraits traits = inner().traits();
  if (traits.verification != Verification::kCoupled || traits.wants_rejected)
    throw std::logic_error("WithReference: expected a drafter that copies");
}

int WithReference::begin(const TextStart& text) {
  shortest_ = options_.shortest;
  length_ = options_.kFirstDraft;
  last_drafted_ = 0;
  return ForwardingDrafter::begin(text);
}

void WithReference::fill(const DraftContext& context, TokenTree& tree) {
  if (!copies_from_reference(context, tree)) copied_.merge_into(tree);
  copied_.find_in(tree);
}

/// Asks the copier, and fills the tree from the reference where that matches much further back.
bool WithReference::copies_from_reference(const DraftContext& context, TokenTree& tree) {
  const std::span<const Token> text = context.committed;
  TokenTree& copied = copied_.begin(tree);
  ForwardingDrafter::fill(context, copied);
  int least = shortest_;
  if (copied.num_drafted() > 0) {
    const int source = copied.origin(copied.first_child(0)).position - 1;
    least =
        std::max(least, options_.kTimesAsLong * matching_tokens(text, source, options_.longest));
  }
  last_drafted_ = 0;
  if (least > options_.longest) return false;
  const auto match = reference_->longest_match(text, options_.longest);
  if (match.tokens < least) return false;
  reference_->follow(match, length_, places_, continuation_);
  tree.add_draft(continuation_, {.source = Source::kReference});
  last_drafted_ = tree.num_drafted();
  return true;
}

void WithReference::verified(std::span<const int> accepted, Token next) {
  const PartTree::Told told = copied_.told(accepted, next);
  ForwardingDrafter::verified(told.accepted, told.next);
  if (last_drafted_ == 0) return;
  const int kept = static_cast<int>(accepted.size());
  shortest_ = kept == 0 ? std::min(shortest_ + 1, options_.shortest)
                        : std::max(shortest_ - 1, std::min(options_.shortest, options_.least));
  length_ = kept == last_drafted_ ? std::min(2 * length_, options_.kLongestDraft)
                                  : std::max(kept, options_.kFirstDraft);
}

}  // namespace outrider::draft
