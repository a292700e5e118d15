#pragma once

#include <vector>

#include "runtime/draft/attention_ranking.h"
#include "runtime/draft/drafter.h"
#include "runtime/draft/state_ranking.h"

namespace outrider::draft {

// PLD+ (Somasundaram et al. 2024), section 4: copies what followed an earlier occurrence of the last
// token, in the prompt or in what was said since, and lets the target's own pass say which one. The
// last token has not been forwarded yet, so it is its predecessor's row that says it.

struct PldPlusHOptions {
  int layer = 0;  // as engine::Taps counts
  int draft_length = 10;
  double threshold = -1;  // no draft below this cosine; -1: always one
};

/// PLD+ (h): by hidden states.
class PldPlusH : public Drafter {
 public:
  explicit PldPlusH(const PldPlusHOptions& options) : options_(options) {}

  int start(std::span<const Token> text) override;
  engine::Taps taps() const override;
  void observe(const engine::Pass& pass, std::span<const int> rows) override;
  TokenTree draft(std::span<const Token> committed, int budget) override;
  int copied_from() const override { return copied_from_; }

 private:
  PldPlusHOptions options_;
  int copied_from_ = kNotCopied;
  std::vector<Token> observed_;  // the tokens whose states are known
  StateRanking states_;
};

struct PldPlusAOptions {
  std::vector<engine::Taps::Head> heads;
  Aggregation aggregation = Aggregation::kMax;
  int draft_length = 10;
};

/// PLD+ (a): by the attention of chosen heads.
class PldPlusA : public Drafter {
 public:
  explicit PldPlusA(PldPlusAOptions options) : options_(std::move(options)) {}

  engine::Taps taps() const override;
  void observe(const engine::Pass& pass, std::span<const int> rows) override;
  TokenTree draft(std::span<const Token> committed, int budget) override;
  int copied_from() const override { return copied_from_; }

 private:
  PldPlusAOptions options_;
  int copied_from_ = kNotCopied;
  std::vector<float> scores_;  // of every position, by the last row kept
};

}  // namespace outrider::draft
