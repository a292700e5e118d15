#pragma once

#include <memory>
#include <string>
#include <vector>

#include "runtime/draft/drafter.h"

namespace outrider::draft {

/// Two drafters as one: each draft is the copier's where it has one, which decides itself whether a copy is
/// likely enough, and the model's otherwise. The drafter of a draft is told what became of it; the other
/// finds the tokens in the text of its next draft, where a draft model forwards what it lacks in one pass.
class CopyFirst : public Drafter {
 public:
  /// @param copier, model  of Verification::kCoupled
  CopyFirst(std::unique_ptr<Drafter> copier, std::unique_ptr<Drafter> model);

  /// The model's.
  std::string name() const override { return model_.drafter->name(); }
  std::vector<DrafterSeconds> divide(double seconds) const override;
  /// The model's and the copier's.
  std::vector<DrafterCount> counts() const override;
  void reset() override { start({}, 0); }
  int start(std::span<const Token> text, int kept) override;
  bool needs_plain_text() const override;
  void set_plain_text(const DraftContext& text, int prompt) override;
  engine::TapRequest wants() const override;
  void observe(const engine::Pass& pass, std::span<const int> rows) override;
  bool wants_rejected() const override;
  void observe_rejected(const engine::Pass& pass, std::span<const int> rows) override;
  void fill(const DraftContext& context, TokenTree& tree) override;
  void verified(std::span<const int> accepted, Token next) override;

 private:
  struct Part {
    std::unique_ptr<Drafter> drafter;
    bool observes = false;
  };

  Part copier_;
  Part model_;
  Part* last_ = nullptr;  // of the last draft
  double copier_seconds_ = 0;
};

}  // namespace outrider::draft
