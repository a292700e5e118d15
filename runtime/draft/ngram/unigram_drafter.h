#pragma once

#include <string>
#include <utility>

#include "runtime/draft/drafter.h"
#include "runtime/draft/ngram/ngram_tables.h"

namespace outrider::draft {

/// Drafts the same k single tokens at every step: the model's most likely ones without context.
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

}  // namespace outrider::draft
