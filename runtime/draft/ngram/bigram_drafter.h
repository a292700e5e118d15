#pragma once

#include <string>
#include <utility>

#include "runtime/draft/drafter.h"
#include "runtime/draft/ngram/extended_bigram.h"
#include "runtime/draft/ngram/ngram_tables.h"

namespace outrider::draft {

struct BigramOptions {
  int drafts = 10;        // k: drafts, at most the table's width
  int draft_length = 10;  // w: tokens per draft; 1 is the bigram without extension
  TreeForm form = TreeForm::kMerged;
};

/// The model's most likely tokens after the last token alone, extended token by token: ExtendedBigram.
class Bigram : public Drafter {
 public:
  Bigram(TablesPtr tables, const BigramOptions& options)
      : bigram_(std::move(tables)), options_(options) {}

  std::string name() const override { return "bigram"; }
  void fill(const DraftContext& context, TokenTree& tree) override;

 private:
  ExtendedBigram bigram_;
  BigramOptions options_;
};

}  // namespace outrider::draft
