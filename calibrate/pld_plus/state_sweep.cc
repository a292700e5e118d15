#include "calibrate/pld_plus/state_sweep.h"

#include <algorithm>
#include <deque>

#include "runtime/draft/copy/copy_sources.h"
#include "runtime/draft/copy/state_ranking.h"
#include "runtime/engine/forward_text.h"

namespace outrider::calibrate {
namespace {

/// Ranks by sums of the last states; a sum has the direction of the mean.
class SummedStates {
 public:
  explicit SummedStates(int count) : count_(static_cast<std::size_t>(count)) {}

  void add(std::span<const float> state) {
    last_.emplace_back(state.begin(), state.end());
    if (last_.size() > count_) last_.pop_front();
    std::vector<float> sum(state.size(), 0.0F);
    for (const std::vector<float>& one : last_)
      for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += one[i];
    ranking_.add(sum);
  }
  const draft::StateRanking& ranking() const { return ranking_; }

 private:
  std::size_t count_;
  std::deque<std::vector<float>> last_;
  draft::StateRanking ranking_;
};

}  // namespace

std::vector<StateChoice> every_layer(const model::ModelConfig& config) {
  std::vector<StateChoice> choices;
  for (int layer = 0; layer <= config.layers; ++layer) choices.push_back({layer, 1});
  return choices;
}

std::vector<StateChoice> means_of_layer(int layer, int most) {
  std::vector<StateChoice> choices;
  for (int averaged = 1; averaged <= most; ++averaged) choices.push_back({layer, averaged});
  return choices;
}

std::vector<StateChoice> weights_of_layer(int layer, const std::vector<double>& weights) {
  std::vector<StateChoice> choices;
  for (const double weight : weights) choices.push_back({layer, 1, weight});
  return choices;
}

StateSweep::StateSweep(engine::Engine& target, std::vector<StateChoice> choices, int branches)
    : target_(target), choices_(std::move(choices)), table_(choices_.size(), branches) {}

bool StateSweep::weighs_logits() const {
  return std::any_of(choices_.begin(), choices_.end(),
                     [](const StateChoice& choice) { return choice.logit_weight != 0; });
}

void StateSweep::add(const Answer& answer) {
  const int length = static_cast<int>(answer.tokens.size());
  table_.begin(answer);
  // Row t - 1 chooses the draft after position t; nothing follows the last position.
  if (length - answer.prompt < 2) return;
  engine::TextOptions reading;
  std::vector<SummedStates> states;
  for (const StateChoice& choice : choices_) {
    reading.request.layers.push_back(choice.layer);
    states.emplace_back(choice.averaged);
  }
  const std::span<const Token> forwarded(answer.tokens.data(),
                                         static_cast<std::size_t>(length - 2));
  const sampling::TokenCounts no_counts{{}};  // the noise does not depend on them
  std::vector<int> sources;
  std::vector<draft::RankedSource> scored;
  const auto note = [&](int t, std::span<const float> logits) {
    const auto text = std::span(answer.tokens).first(static_cast<std::size_t>(t) + 1);
    draft::copy_sources(text, sources);
    for (std::size_t c = 0; c < states.size(); ++c) {
      states[c].ranking().score(sources, t, scored);
      const double weight = choices_[c].logit_weight;
      if (weight != 0)
        draft::add_logits({text, {answer.sampler, answer.sequence_seed, no_counts}}, logits, weight,
                          scored);
      table_.note(c, scored);
    }
  };
  // Logits of a whole text would take too much memory: their bonus is recorded during the pass.
  const auto on_rows = [&](const engine::Pass& pass, int first) {
    for (int row = 0; row < static_cast<int>(pass.rows.size()); ++row) {
      for (std::size_t c = 0; c < states.size(); ++c)
        states[c].add(pass.observed.state(choices_[c].layer, row));
      const int t = first + row + 1;
      if (t >= answer.prompt) note(t, pass.logits_of(row));
    }
  };
  if (weighs_logits()) reading.logits_from = answer.prompt - 1;
  engine::forward_text(target_, forwarded, reading, on_rows);
}

}  // namespace outrider::calibrate
