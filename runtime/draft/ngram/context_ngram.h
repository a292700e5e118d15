#pragma once

#include "runtime/draft/drafter.h"
#include "runtime/draft/ngram/ngram_index.h"

namespace outrider::draft {

struct ContextNgramOptions {
  int query = 1;          // q: tokens looked up
  int draft_length = 10;  // w: tokens of a continuation
  int drafts = 10;        // k: continuations
  TreeForm form = TreeForm::kMerged;
};

/// The continuations that followed the last q tokens most often so far, the latest first among
/// equals. N-Grammys (Stewart et al. 2024), section 4.2.
class ContextNgram : public Drafter {
 public:
  explicit ContextNgram(const ContextNgramOptions& options);

  void reset() override { index_.clear(); }
  TokenTree draft(std::span<const Token> committed, int budget) override;

 private:
  ContextNgramOptions options_;
  NgramIndex index_;
};

}  // namespace outrider::draft
