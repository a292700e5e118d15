#include "runtime/draft/drawn_children.h"

#include <algorithm>
#include <limits>

#include "runtime/base/math.h"

namespace outrider::draft {

void DrawnChildren::restart() {
  group_of_.clear();
  groups_ = 0;
  drawn_ = 0;
}

void DrawnChildren::draw(sampling::Chooser& chooser, const sampling::SequenceSampling& sampling,
                         const engine::LogitsRow& row, const Group& group,
                         std::vector<sampling::RankedToken>& drawn) {
  const auto node = static_cast<std::size_t>(group.node);
  if (group_of_.size() <= node) group_of_.resize(node + 1, std::numeric_limits<std::size_t>::max());
  group_of_[node] = groups_;
  if (groups_ == from_.size()) from_.emplace_back();
  const sampling::Distribution& q = from_[groups_];
  chooser.distribute(row, sampling, from_[groups_++]);

  sampling::SeededChance seeded(sampling.seed);
  sampling::Chance& chance = chance_ == nullptr ? seeded : *chance_;
  const std::size_t children = std::min(static_cast<std::size_t>(group.children), q.tokens.size());
  const sampling::Distribution* left = &q;
  drawn.clear();
  while (drawn.size() < children) {
    const Token token = chance.draw(*left, {RandomUse::kDraft, group.position, drawn_++});
    const double log_q = math::log(q.of(token));
    drawn.push_back({token, log_q, log_q});
    if (drawn.size() == children) break;
    without(*left, token, left_);
    left = &left_;
  }
}

}  // namespace outrider::draft
