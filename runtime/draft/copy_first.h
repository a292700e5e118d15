#pragma once

#include <memory>
#include <optional>

#include "runtime/draft/composed_drafter.h"

namespace outrider::draft {

/// Two drafters as one: each draft is the copier's where it has one, which decides itself whether a copy is
/// likely enough, and the model's otherwise. The part that drafted is told what was accepted; the
/// other finds the tokens in the text of its next draft, where a draft model forwards the new ones in one pass.
class CopyFirst : public ComposedDrafter {
 public:
  /// @param copier, model  of Verification::kCoupled
  CopyFirst(std::unique_ptr<Drafter> copier, std::unique_ptr<Drafter> model);

  int start(std::span<const Token> text, int kept) override;
  void fill(const DraftContext& context, TokenTree& tree) override;
  void verified(std::span<const int> accepted, Token next) override;

 private:
  std::optional<std::size_t> drafted_;  // the part with the last draft
};

}  // namespace outrider::draft
