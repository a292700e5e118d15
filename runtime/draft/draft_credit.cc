#include "runtime/draft/draft_credit.h"

#include <algorithm>

namespace outrider::draft {

void DraftCredit::add(double cost, int accepted, int tokens) {
  left_ += accepted - cost;
  if (left_ >= kFull) {
    left_ = kFull;
    next_rest_ = kShortestRest;
  }
  if (left_ > 0) return;
  left_ = kAfterRest;
  rests_until_ = tokens + next_rest_;
  next_rest_ = std::min(2 * next_rest_, kLongestRest);
}

}  // namespace outrider::draft
