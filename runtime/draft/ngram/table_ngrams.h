#pragma once

#include <memory>

#include "runtime/draft/drafter.h"
#include "runtime/draft/ngram/extended_bigram.h"
#include "runtime/draft/ngram/ngram_index.h"
#include "runtime/draft/ngram/ngram_tables.h"

namespace outrider::draft {

/// The same k single tokens at every step: the model's most likely ones without context.
class Unigram : public Drafter {
 public:
  Unigram(TablesPtr tables, int drafts, TreeForm form = TreeForm::kMerged)
      : tables_(std::move(tables)), drafts_(drafts), form_(form) {}

  std::string name() const override { return "unigram"; }
  void fill(const DraftContext& context, TokenTree& tree) override;

 private:
  TablesPtr tables_;
  int drafts_;
  TreeForm form_;
};

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

struct NGrammysOptions {
  int query = 1;          // q: tokens looked up in the text
  int drafts = 10;        // k
  int draft_length = 10;  // w
  TreeForm form = TreeForm::kMerged;
};

/// N-Grammys (Stewart et al. 2024), section 4.3: up to k drafts from the text so far, ranked as in
/// ContextNgram, filled up with drafts of the extended bigram.
class NGrammys : public Drafter {
 public:
  NGrammys(TablesPtr tables, const NGrammysOptions& options);

  std::string name() const override { return "ngrammys"; }
  void reset() override { index_.clear(); }
  void fill(const DraftContext& context, TokenTree& tree) override;

 private:
  ExtendedBigram bigram_;
  NGrammysOptions options_;
  NgramIndex index_;
};

}  // namespace outrider::draft
