#pragma once

#include "runtime/methods/draft_model_settings.h"
#include "runtime/methods/drafting_method.h"

namespace outrider::methods {

/// A method that drafts with a trained model. @tparam Settings  DraftModelSettings, or a class that derives from it
template <typename Settings>
class DraftModelMethod : public CalibratedMethod<Settings> {
 protected:
  Capabilities own_capabilities() const override {
    return {.changes_text = this->settings.verify == "rejection"};
  }
};

}  // namespace outrider::methods
