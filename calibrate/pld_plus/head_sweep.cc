#include "calibrate/pld_plus/head_sweep.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "runtime/draft/copy_sources.h"

namespace outrider::calibrate {
namespace {

using draft::Aggregation;

/// Adds heads one by one and says which source they agree on.
class Vote {
 public:
  explicit Vote(const std::vector<int>& sources) : sources_(sources), order_(sources.size()) {
    std::iota(order_.begin(), order_.end(), 0);
  }
  /// @param attention  of the row, by position
  void add(const std::vector<float>& attention) {
    at_sources_.clear();
    for (const int j : sources_) at_sources_.push_back(attention[static_cast<std::size_t>(j)]);
    draft::aggregate(Aggregation::kMax, at_sources_, max_);
    draft::aggregate(Aggregation::kSum, at_sources_, sum_);
  }
  int source(Aggregation how) const {
    const auto best = draft::most_attended(order_, how == Aggregation::kMax ? max_ : sum_);
    return sources_[static_cast<std::size_t>(best->position)];
  }

 private:
  const std::vector<int>& sources_;
  std::vector<int> order_;  // 0, 1, … stand for the sources
  std::vector<float> at_sources_, max_, sum_;
};

}  // namespace

std::vector<int> head_counts(int heads) {
  std::vector<int> counts;
  for (const int n : {1, 2, 3, 5, 8, 13, 20, 30, 40, 50, 100, 200})
    if (n < heads) counts.push_back(n);
  counts.push_back(heads);
  return counts;
}

HeadSweep::HeadSweep(engine::Engine& target, std::vector<engine::Taps::Head> ranking,
                     int draft_length)
    : target_(target), draft_length_(draft_length) {
  taps_.heads = std::move(ranking);
  if (static_cast<int>(taps_.heads.size()) != target.config().layers * target.config().heads)
    throw std::logic_error("HeadSweep: the ranking must name every head");
  const auto add_both = [this](int layer, int count) {
    choices_.push_back({layer, count, Aggregation::kMax});
    choices_.push_back({layer, count, Aggregation::kSum});
  };
  for (const int n : head_counts(static_cast<int>(taps_.heads.size())))
    add_both(HeadChoice::kRanked, n);
  for (int layer = 1; layer <= target.config().layers; ++layer)
    add_both(layer, target.config().heads);
  table_.resize(choices_.size());
}

void HeadSweep::add(const Answer& answer) {
  const int length = static_cast<int>(answer.text.size());
  // The draft behind position t is chosen by row t - 1; the last position has nothing behind it.
  if (length - answer.prompt < 2) return;
  for (auto& of_choice : table_) of_choice.emplace_back();
  const std::span<const Token> forwarded(answer.text.data(), static_cast<std::size_t>(length - 2));
  forward_tapped(target_, forwarded, answer.prompt - 1, taps_, [&](int first, int rows) {
    for (int row = 0; row < rows; ++row) chances_at(answer, first + row + 1, row);
  });
  for (std::size_t c = 0; c < choices_.size(); ++c)
    choices_[c].replay.add(calibrate::replay(table_[c].back(), draft_length_));
}

void HeadSweep::chances_at(const Answer& answer, int t, int row) {
  const auto sources =
      draft::copy_sources(std::span(answer.text).first(static_cast<std::size_t>(t) + 1));
  const auto record = [&](std::size_t choice, const Vote& vote) {
    table_[choice].back().push_back(
        copy_chance(answer.text, t, vote.source(choices_[choice].aggregation)));
  };
  if (sources.empty()) {
    for (auto& of_choice : table_) of_choice.back().push_back({});
    return;
  }
  Vote ranked(sources);
  std::vector<Vote> layers(static_cast<std::size_t>(target_.config().layers), Vote(sources));
  std::size_t choice = 0;
  for (std::size_t n = 0; n < taps_.heads.size(); ++n) {
    const std::vector<float>& attention = taps_.attention[n][static_cast<std::size_t>(row)];
    ranked.add(attention);
    layers[static_cast<std::size_t>(taps_.heads[n].layer - 1)].add(attention);
    while (choices_[choice].layer == HeadChoice::kRanked &&
           choices_[choice].count == static_cast<int>(n) + 1) {
      record(choice++, ranked);
    }
  }
  for (; choice < choices_.size(); ++choice)
    record(choice, layers[static_cast<std::size_t>(choices_[choice].layer - 1)]);
}

const HeadChoice& HeadSweep::best() const {
  const HeadChoice* best = &choices_.front();
  for (const HeadChoice& choice : choices_) {
    if (choice.layer != HeadChoice::kRanked) break;
    if (choice.replay.tokens_per_pass() > best->replay.tokens_per_pass()) best = &choice;
  }
  return *best;
}

Replay HeadSweep::replay(const HeadChoice& choice, int draft_length) const {
  Replay total;
  for (const auto& chances : table_[static_cast<std::size_t>(&choice - choices_.data())])
    total.add(calibrate::replay(chances, draft_length));
  return total;
}

}  // namespace outrider::calibrate
