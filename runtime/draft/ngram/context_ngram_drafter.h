#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "runtime/draft/drafter.h"
#include "runtime/draft/ngram/ngram_index.h"

namespace outrider::draft {

struct ContextNgramOptions {
  int query = 1;          // q: tokens looked up
  int draft_length = 10;  // w: tokens of a continuation
  int drafts = 10;        // k: continuations
  TreeForm form = TreeForm::kMerged;
};

/// Adds continuations of the text below the root, its last token, as drafts ranked in this order.
void add_continuations(TokenTree& tree, std::span<const Token> text,
                       std::span<const NgramIndex::Continuation> found, int length);

/// The continuations that most often followed the last q tokens, the latest first on a tie. N-Grammys (Stewart et al. 2024), section 4.2.
class ContextNgram : public Drafter {
 public:
  explicit ContextNgram(const ContextNgramOptions& options);

  std::string name() const override { return "context-ngram"; }
  std::int64_t text_bytes(int tokens) const override { return index_.bytes(tokens); }
  DrafterTraits traits() const override {
    return {.most_nodes = options_.drafts * options_.draft_length};
  }

 protected:
  void fill(const DraftContext& context, TokenTree& tree) override;
  int begin(const TextStart& text) override {
    index_.clear();
    index_.reserve(static_cast<std::size_t>(text.most));
    return text.kept;
  }

 private:
  ContextNgramOptions options_;
  NgramIndex index_;
  std::vector<NgramIndex::Continuation> found_;  // a buffer
};

}  // namespace outrider::draft
