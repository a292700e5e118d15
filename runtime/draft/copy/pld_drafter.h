#pragma once

#include "runtime/draft/drafter.h"

namespace outrider::draft {

struct PldOptions {
  int ngram = 10;          // longest n-gram looked up
  int draft_length = 4;    // tokens copied at most
  bool published = false;  // the earliest match that a whole draft follows
  int shortest = 1;        // n-gram looked up; not used as published
};

/// Prompt lookup decoding, the baseline of the field: looks for an earlier occurrence of the last n-gram,
/// longest first, and copies what followed it. Saxena 2023, as PLD+ (Somasundaram et al. 2024) describes
/// and compares with it.
///
/// Among the occurrences of one n-gram the latest is copied, cut at the text's end. As published it is the
/// earliest with a full continuation, and a shorter n-gram is tried where there is none.
class Pld : public Drafter {
 public:
  explicit Pld(const PldOptions& options) : options_(options) {}

  std::string name() const override { return "pld"; }
  DrafterTraits traits() const override { return {.most_nodes = options_.draft_length}; }
  void fill(const DraftContext& context, TokenTree& tree) override;

 private:
  PldOptions options_;
};

}  // namespace outrider::draft
