#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "runtime/draft/drafter.h"
#include "runtime/draft/length_costs.h"
#include "runtime/draft/pause_rule.h"

namespace outrider::draft {

/// What a drafter's rounds cost.
struct DraftPrices {
  std::vector<LengthCosts> passes;  // of the target, ascending from 0 tokens on
  double step_share = 0;            // a drafted token's own cost in passes over one row
};

/// A drafter that pauses where its drafts cost more than they save in the text: see PauseRule. In a pause it
/// is not asked for drafts, but observes what it wants to observe.
class Guarded : public Drafter {
 public:
  Guarded(std::unique_ptr<Drafter> drafter, DraftPrices prices);

  std::string name() const override { return drafter_->name(); }
  std::vector<DrafterSeconds> divide(double seconds) const override {
    return drafter_->divide(seconds);
  }
  /// The drafter's, and the rounds without it.
  std::vector<DrafterCount> counts() const override;
  Verification verification() const override { return drafter_->verification(); }
  const sampling::Distribution& drawn_from(int node) const override {
    return drafter_->drawn_from(node);
  }
  void reset() override;
  int start(std::span<const Token> text, int kept) override;
  bool needs_plain_text() const override { return drafter_->needs_plain_text(); }
  void set_plain_text(const DraftContext& text, int prompt) override {
    drafter_->set_plain_text(text, prompt);
  }
  engine::TapRequest wants() const override { return drafter_->wants(); }
  void observe(const engine::Pass& pass, std::span<const int> rows) override {
    drafter_->observe(pass, rows);
  }
  bool wants_rejected() const override { return drafter_->wants_rejected(); }
  void observe_rejected(const engine::Pass& pass, std::span<const int> rows) override {
    drafter_->observe_rejected(pass, rows);
  }
  void fill(const DraftContext& context, TokenTree& tree) override;
  void verified(std::span<const int> accepted, Token next) override;

 private:
  void start_counting();
  double cost(int drafted) const;

  std::unique_ptr<Drafter> drafter_;
  DraftPrices prices_;
  PauseRule pause_;
  std::int64_t paused_rounds_ = 0;
  // Of the round.
  int tokens_ = 0;  // of the text before it
  int drafted_ = 0;
  bool is_asked_ = false;
};

}  // namespace outrider::draft
