#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "runtime/draft/copy/copy_sources.h"
#include "runtime/draft/copy/draft_lengths.h"
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
  DrafterTraits traits() const override;
  std::int64_t text_bytes(int tokens) const override {
    return tokens * static_cast<std::int64_t>(sizeof(RankedSource));
  }

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

  void fill(const DraftContext& context, TokenTree& tree) final;
  int begin(const TextStart& text) override;
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

}  // namespace outrider::draft
