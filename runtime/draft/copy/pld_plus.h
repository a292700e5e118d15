#pragma once

#include <vector>

#include "runtime/draft/copy/attention_ranking.h"
#include "runtime/draft/copy/draft_lengths.h"
#include "runtime/draft/copy/state_ranking.h"
#include "runtime/draft/drafter.h"

namespace outrider::draft {

/// PLD+ (Somasundaram et al. 2024), section 4: copies what followed an earlier occurrence of the last
/// token, in the prompt or in the generated text, ranked by the target's own pass. The last token
/// has not been forwarded yet, so the row of its predecessor is used.
///
/// Beyond the paper: several sources at once, as branches, where they disagree on the next token; and draft
/// lengths chosen per step by the best source.
class PldPlus : public Drafter {
 public:
  void fill(const DraftContext& context, TokenTree& tree) final;

 protected:
  /// @param draft_length  tokens of a branch
  /// @param lengths       if not null, chooses the length per step instead
  /// @param threshold     sources with lower scores are not used; -1: all are, since a cosine of -1 may be
  ///                      rounded below it
  PldPlus(int draft_length, int branches, DraftLengthsPtr lengths, double threshold = -1)
      : draft_length_(draft_length),
        branches_(branches),
        lengths_(std::move(lengths)),
        threshold_(threshold) {}

  /// The sources of the last token, scored by the target's pass, into `scored`.
  virtual void score(const DraftContext& context, std::vector<RankedSource>& scored) = 0;

 private:
  int draft_length_;
  int branches_;
  DraftLengthsPtr lengths_;
  double threshold_;
  // Buffers of `draft`.
  std::vector<RankedSource> scored_;
  std::vector<RankedSource> best_;
};

struct PldPlusHOptions {
  int layer = 0;  // as engine::TapRequest counts
  int draft_length = 10;
  double threshold = -1;  // no draft below this cosine; -1: always draft
  int branches = 1;
  DraftLengthsPtr lengths = nullptr;  // instead of draft_length
  double logit_weight = 0;            // of the bonus of `add_logits`; 0: states only
};

/// PLD+ (h): by hidden states and, beyond the paper, the logits of the row before the last token.
class PldPlusH : public PldPlus {
 public:
  explicit PldPlusH(const PldPlusHOptions& options)
      : PldPlus(options.draft_length, options.branches, options.lengths, options.threshold),
        options_(options) {}

  std::string name() const override { return "pld-plus-h"; }
  int start(std::span<const Token> text, int kept) override;
  engine::TapRequest wants() const override;
  void observe(const engine::Pass& pass, std::span<const int> rows) override;

 private:
  void score(const DraftContext& context, std::vector<RankedSource>& scored) override;

  PldPlusHOptions options_;
  std::vector<Token> observed_;  // the tokens whose states are known
  StateRanking states_;
  std::span<const float>
      logits_;                // of the last committed row, until the next pass; only if weighted
  std::vector<int> sources_;  // a buffer
};

struct PldPlusAOptions {
  std::vector<engine::Head> heads;
  Aggregation aggregation = Aggregation::kMax;
  int draft_length = 10;
  int branches = 1;
  DraftLengthsPtr lengths = nullptr;  // instead of draft_length
};

/// PLD+ (a): by the attention of chosen heads.
class PldPlusA : public PldPlus {
 public:
  explicit PldPlusA(PldPlusAOptions options)
      : PldPlus(options.draft_length, options.branches, options.lengths),
        options_(std::move(options)) {}

  std::string name() const override { return "pld-plus-a"; }
  engine::TapRequest wants() const override;
  void observe(const engine::Pass& pass, std::span<const int> rows) override;

 private:
  void score(const DraftContext& context, std::vector<RankedSource>& scored) override;

  PldPlusAOptions options_;
  // Of the last committed row, until the next pass.
  const engine::Observation* observed_ = nullptr;
  int row_ = 0;
  // Buffers.
  std::vector<int> sources_;
  std::vector<float> attention_;  // [heads, sources]
};

}  // namespace outrider::draft
