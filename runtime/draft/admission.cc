#include "runtime/draft/admission.h"

#include <algorithm>
#include <cmath>

namespace outrider::draft {

PayingNodes nodes_that_pay(std::span<const double> reached, std::span<const double> seconds,
                           double tokens, double least_speed_up) {
  PayingNodes best = {0, tokens, seconds.front()};
  double least = least_speed_up * tokens / seconds.front();
  for (std::size_t i = 0; i < std::min(reached.size(), seconds.size() - 1); ++i) {
    tokens += reached[i];
    if (tokens / seconds[i + 1] <= least) continue;
    best = {i + 1, tokens, seconds[i + 1]};
    least = best.rate();
  }
  return best;
}

void Admission::run(const TokenTree& drafted, int most, std::span<const double> seconds,
                    TokenTree& tree) {
  tree.set_form(drafted.form());
  reached_.assign(1, 1);
  order_.clear();
  for (int node = 1; node < drafted.size(); ++node) {
    const float known = drafted.chance(node);
    const double chance = std::isnan(known) ? Origin::kUnknownChance : static_cast<double>(known);
    reached_.push_back(reached_[static_cast<std::size_t>(drafted.parent(node))] *
                       std::clamp(chance, 0.0, 1.0));
    order_.push_back(node);
  }
  std::sort(order_.begin(), order_.end(), [this](int a, int b) {
    const double of_a = reached_[static_cast<std::size_t>(a)];
    const double of_b = reached_[static_cast<std::size_t>(b)];
    return of_a != of_b ? of_a > of_b : a < b;
  });
  order_.resize(std::min(order_.size(), static_cast<std::size_t>(std::max(most, 0))));
  best_.clear();
  for (const int node : order_) best_.push_back(reached_[static_cast<std::size_t>(node)]);
  if (!seconds.empty()) order_.resize(nodes_that_pay(best_, seconds).count);

  places_.assign(static_cast<std::size_t>(drafted.size()), TokenTree::kNone);
  places_[0] = 0;
  for (const int node : order_) {
    const int parent = places_[static_cast<std::size_t>(drafted.parent(node))];
    if (parent == TokenTree::kNone) continue;
    places_[static_cast<std::size_t>(node)] =
        tree.add(parent, drafted.token(node), drafted.origin(node));
  }
  for (const TokenTree::Draft& draft : drafted.drafts()) {
    int last = draft.last;
    while (places_[static_cast<std::size_t>(last)] == TokenTree::kNone) last = drafted.parent(last);
    if (last != 0) tree.note_draft({draft.origin, places_[static_cast<std::size_t>(last)]});
  }
}

}  // namespace outrider::draft
