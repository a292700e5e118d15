#include "runtime/draft/pause_rule.h"

#include <algorithm>

namespace outrider::draft {

void PauseRule::add(double cost, int accepted, int tokens) {
  left_ += accepted - cost;
  if (left_ >= kFull) {
    left_ = kFull;
    next_pause_ = kShortestPause;
  }
  if (left_ > 0) return;
  left_ = kAfterPause;
  paused_until_ = tokens + next_pause_;
  next_pause_ = std::min(2 * next_pause_, kLongestPause);
}

}  // namespace outrider::draft
