#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/draft/drafter.h"
#include "runtime/draft/ngram/extended_bigram.h"
#include "runtime/draft/ngram/ngram_index.h"
#include "runtime/draft/ngram/ngram_tables.h"

namespace outrider::draft {

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
  std::int64_t text_bytes(int tokens) const override { return index_.bytes(tokens); }

 protected:
  void fill(const DraftContext& context, TokenTree& tree) override;
  int begin(const TextStart& text) override {
    index_.clear();
    index_.reserve(static_cast<std::size_t>(text.most));
    return text.kept;
  }

 private:
  ExtendedBigram bigram_;
  NGrammysOptions options_;
  NgramIndex index_;
  std::vector<NgramIndex::Continuation> found_;  // a buffer
};

}  // namespace outrider::draft
