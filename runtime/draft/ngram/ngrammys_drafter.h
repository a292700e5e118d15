#pragma once

#include <cstdint>
#include <string>

#include "runtime/draft/drafter.h"
#include "runtime/draft/ngram/extended_bigram.h"
#include "runtime/draft/ngram/ngram_tables.h"
#include "runtime/draft/ngram/text_continuations.h"

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
  std::int64_t text_bytes(int tokens) const override { return continuations_.bytes(tokens); }

 protected:
  void fill(const DraftContext& context, TokenTree& tree) override;
  int begin(const TextStart& text) override { return continuations_.begin(text); }

 private:
  ExtendedBigram bigram_;
  NGrammysOptions options_;
  TextContinuations continuations_;
};

}  // namespace outrider::draft
