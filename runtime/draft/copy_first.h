#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/draft/drafter_parts.h"

namespace outrider::draft {

/// Two drafters as one: each draft is the copier's where it has one, which decides itself whether a copy is
/// likely enough, and the model's otherwise. The part that drafted is told what was accepted; the
/// other finds the tokens in the text of its next draft, where a draft model forwards the new ones in one pass.
class CopyFirst : public Drafter {
 public:
  /// @param copier, model  of Verification::kCoupled
  CopyFirst(std::unique_ptr<Drafter> copier, std::unique_ptr<Drafter> model);

  /// The model's.
  std::string name() const override { return parts_.back().name(); }
  std::vector<DrafterSeconds> divide(double seconds) const override {
    return parts_.divide(seconds);
  }
  std::vector<DrafterCount> counts() const override { return parts_.counts(); }
  void reset() override { start({}, 0); }
  int start(std::span<const Token> text, int kept) override;
  bool needs_plain_text() const override { return parts_.needs_plain_text(); }
  void set_plain_text(const DraftContext& text, int prompt) override {
    parts_.set_plain_text(text, prompt);
  }
  engine::TapRequest wants() const override { return parts_.wants(); }
  void observe(const engine::Pass& pass, std::span<const int> rows) override {
    parts_.observe(pass, rows);
  }
  bool wants_rejected() const override { return parts_.wants_rejected(); }
  void observe_rejected(const engine::Pass& pass, std::span<const int> rows) override {
    parts_.observe_rejected(pass, rows);
  }
  void fill(const DraftContext& context, TokenTree& tree) override;
  void verified(std::span<const int> accepted, Token next) override;

 private:
  DrafterParts parts_;                  // the copier, the model
  std::optional<std::size_t> drafted_;  // the part with the last draft
};

}  // namespace outrider::draft
