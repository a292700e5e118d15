#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "runtime/draft/copy/attention_ranking.h"
#include "runtime/draft/copy/pld_plus_drafter.h"

namespace outrider::draft {

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
  DrafterTraits traits() const override;
  std::int64_t text_bytes(int tokens) const override;
  void observe(const engine::Pass& pass, const ObservedRows& rows) override;

 protected:
  int begin(const TextStart& text) override;

 private:
  void score(const DraftContext& context, std::vector<RankedSource>& scored) override;

  PldPlusAOptions options_;
  engine::Observation observed_;  // of the last committed row alone
  // Buffers.
  std::vector<int> sources_;
  std::vector<float> attention_;  // [heads, sources]
};

}  // namespace outrider::draft
