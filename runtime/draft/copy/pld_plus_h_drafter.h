#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "runtime/draft/copy/pld_plus_drafter.h"
#include "runtime/draft/copy/state_ranking.h"

namespace outrider::draft {

struct PldPlusHOptions {
  int layer = 0;  // as engine::TapRequest counts
  int draft_length = 10;
  double threshold = -1;  // no draft below this cosine; -1: always draft
  int branches = 1;
  DraftLengthsPtr lengths = nullptr;  // instead of draft_length
  double logit_weight = 0;            // of the bonus of `add_logits`; 0: states only
  int width = 0;                      // numbers of a state, for text_bytes
};

/// PLD+ (h): by hidden states and, beyond the paper, the logits of the row before the last token.
class PldPlusH : public PldPlus {
 public:
  explicit PldPlusH(const PldPlusHOptions& options)
      : PldPlus(options.draft_length, options.branches, options.lengths, options.threshold),
        options_(options) {}

  std::string name() const override { return "pld-plus-h"; }
  DrafterTraits traits() const override;
  std::int64_t text_bytes(int tokens) const override;
  void observe(const engine::Pass& pass, const ObservedRows& rows) override;

 protected:
  int begin(const TextStart& text) override;
  void take_over(const Drafter& like, int tokens) override;

 private:
  void score(const DraftContext& context, std::vector<RankedSource>& scored) override;

  PldPlusHOptions options_;
  std::vector<Token> observed_;  // the tokens whose states are known
  StateRanking states_;
  std::vector<float> logits_;  // of the last committed row; only if weighted
  std::vector<int> sources_;   // a buffer
};

}  // namespace outrider::draft
