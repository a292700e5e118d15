#pragma once

#include <memory>

#include "runtime/draft/composed_drafter.h"

namespace outrider::draft {

/// Two drafters as one: each draft is the copier's where it has one, which decides itself whether a copy is
/// likely enough, and the model's otherwise. One that was not asked finds the tokens in the text of its next draft, where
/// a draft model forwards the new ones in one pass.
class CopyFirst : public ComposedDrafter {
 public:
  /// @param copier, model  of Verification::kCoupled
  CopyFirst(std::unique_ptr<Drafter> copier, std::unique_ptr<Drafter> model);

 protected:
  void compose(const DraftContext& context, TokenTree& tree) override;
};

}  // namespace outrider::draft
