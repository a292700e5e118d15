#include "data/study/stop_evaluation.h"

#include <algorithm>

namespace outrider::study {

void StopEvaluation::start() {
  policy_->start();
  number_ = drafted_ = 0;
  stopped_ = false;
}

void StopEvaluation::add(draft::DraftedToken token, bool is_accepted) {
  token.number = ++number_;
  const bool would_draft = !stopped_ && number_ <= longest_;
  drafted_ += would_draft;
  const bool stops = policy_->stops(token);
  const auto confidence = policy_->confidence(token);
  confusion_.add(confidence ? !stops && number_ <= longest_ : would_draft, is_accepted);
  if (confidence) {
    scores_.push_back(*confidence);
    accepted_.push_back(is_accepted);
  }
  stopped_ = stopped_ || stops;
  if (is_accepted) return;
  policy_->verified(drafted_, std::min(drafted_, number_ - 1));
  number_ = drafted_ = 0;
  stopped_ = false;
}

}  // namespace outrider::study
