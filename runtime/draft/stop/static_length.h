#pragma once

#include "runtime/draft/stop/stop_policy.h"

namespace outrider::draft {

/// Never stops before the longest round: every round has one length.
class StaticLength : public StopPolicy {
 public:
  bool stops(const DraftedToken&) override { return false; }
  int drafted_at_once() const override { return kNoLimit; }
};

}  // namespace outrider::draft
