#pragma once

#include <cstdint>
#include <string>

#include "runtime/draft/drafter.h"
#include "runtime/draft/ngram/text_continuations.h"

namespace outrider::draft {

struct ContextNgramOptions {
  int query = 1;          // q: tokens looked up
  int draft_length = 10;  // w: tokens of a continuation
  int drafts = 10;        // k: continuations
  TreeForm form = TreeForm::kMerged;
};

/// The continuations that most often followed the last q tokens: TextContinuations.
class ContextNgram : public Drafter {
 public:
  explicit ContextNgram(const ContextNgramOptions& options)
      : options_(options), continuations_(options.query, options.drafts, options.draft_length) {}

  std::string name() const override { return "context-ngram"; }
  std::int64_t text_bytes(int tokens) const override { return continuations_.bytes(tokens); }
  DrafterTraits traits() const override {
    return {.most_nodes = options_.drafts * options_.draft_length};
  }

 protected:
  void fill(const DraftContext& context, TokenTree& tree) override;
  int begin(const TextStart& text) override { return continuations_.begin(text); }

 private:
  ContextNgramOptions options_;
  TextContinuations continuations_;
};

}  // namespace outrider::draft
