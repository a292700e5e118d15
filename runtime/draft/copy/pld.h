#pragma once

#include "runtime/draft/drafter.h"

namespace outrider::draft {

struct PldOptions {
  int ngram = 3;          // longest n-gram looked up
  int draft_length = 10;  // tokens copied
};

/// Prompt lookup decoding, the baseline of the field: looks for an earlier occurrence of the last
/// n-gram, longest first, and copies what followed it. Among the occurrences of one n-gram the
/// earliest with a full continuation wins.
/// Saxena 2023, as PLD+ (Somasundaram et al. 2024) describes and compares with it.
class Pld : public Drafter {
 public:
  explicit Pld(const PldOptions& options) : options_(options) {}

  std::string name() const override { return "pld"; }
  void draft(const DraftContext& context, TokenTree& tree) override;

 private:
  PldOptions options_;
};

}  // namespace outrider::draft
