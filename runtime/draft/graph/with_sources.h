#pragma once

#include <memory>
#include <string>
#include <vector>

#include "runtime/draft/drafter_parts.h"

namespace outrider::draft {

/// A tree drafter whose trees contain the drafts of others as well, its sources: they fill the tree first, and its own
/// drafts continue from these nodes; see TreeDrafter. The sources are not told what was accepted.
class WithSources : public Drafter {
 public:
  /// @param sources  of Verification::kCoupled, as the model's
  /// @param model    one that continues trees that are not empty: a TreeDrafter
  WithSources(std::vector<std::unique_ptr<Drafter>> sources, std::unique_ptr<Drafter> model);

  /// The model's.
  std::string name() const override { return parts_.back().name(); }
  std::vector<DrafterSeconds> divide(double seconds) const override {
    return parts_.divide(seconds);
  }
  std::vector<DrafterCount> counts() const override { return parts_.counts(); }
  void reset() override { start({}, 0); }
  int start(std::span<const Token> text, int kept) override { return parts_.start(text, kept); }
  engine::TapRequest wants() const override { return parts_.wants(); }
  void observe(const engine::Pass& pass, std::span<const int> rows) override {
    parts_.observe(pass, rows);
  }
  void fill(const DraftContext& context, TokenTree& tree) override {
    for (std::size_t i = 0; i < parts_.size(); ++i) parts_.draft(i, context, tree);
  }
  void verified(std::span<const int> accepted, Token next) override {
    parts_.verified(parts_.size() - 1, accepted, next);
  }

 private:
  DrafterParts parts_;  // the sources, and the model last
};

}  // namespace outrider::draft
