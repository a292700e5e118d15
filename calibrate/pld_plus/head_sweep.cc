#include "calibrate/pld_plus/head_sweep.h"

#include <algorithm>

#include "runtime/draft/copy/copy_sources.h"
#include "runtime/engine/forward_text.h"

namespace outrider::calibrate {
namespace {

using draft::Aggregation;

/// Adds heads one by one and ranks the sources by their attention.
class Vote {
 public:
  explicit Vote(const std::vector<int>& sources) : sources_(sources) {}

  /// @param attention  of the row by one head, [sources]
  void add(std::span<const float> attention) {
    draft::aggregate(Aggregation::kMax, attention, max_);
    draft::aggregate(Aggregation::kSum, attention, sum_);
  }
  std::vector<draft::RankedSource> scored(Aggregation how) const {
    const std::vector<float>& scores = how == Aggregation::kMax ? max_ : sum_;
    std::vector<draft::RankedSource> scored;
    for (std::size_t i = 0; i < sources_.size(); ++i) scored.push_back({sources_[i], scores[i]});
    return scored;
  }

 private:
  const std::vector<int>& sources_;
  std::vector<float> max_, sum_;
};

}  // namespace

std::vector<int> head_counts(int heads) {
  std::vector<int> counts;
  for (const int n : {1, 2, 3, 5, 8, 13, 20, 30, 40, 50, 100, 200})
    if (n < heads) counts.push_back(n);
  counts.push_back(heads);
  return counts;
}

std::vector<HeadChoice> head_choices(const model::ModelConfig& config) {
  std::vector<HeadChoice> choices;
  const auto add_both = [&](int layer, int count) {
    choices.push_back({layer, count, Aggregation::kMax});
    choices.push_back({layer, count, Aggregation::kSum});
  };
  for (const int n : head_counts(config.layers * config.heads)) add_both(HeadChoice::kRanked, n);
  for (int layer = 1; layer <= config.layers; ++layer) add_both(layer, config.heads);
  return choices;
}

HeadSweep::HeadSweep(engine::Engine& target, std::vector<engine::Head> ranking,
                     std::vector<HeadChoice> choices, int branches)
    : target_(target),
      ranking_(std::move(ranking)),
      choices_(std::move(choices)),
      table_(choices_.size(), branches) {}

void HeadSweep::add(const Answer& answer, HeadSearch* counted) {
  const int length = static_cast<int>(answer.tokens.size());
  table_.begin(answer);
  // Row t - 1 chooses the draft after position t; nothing follows the last position.
  const int last_drafted = length - 2;
  const int rows_needed = counted != nullptr ? length - 1 : length - 2;
  if (rows_needed < answer.prompt) return;
  const std::span<const Token> forwarded(answer.tokens.data(),
                                         static_cast<std::size_t>(rows_needed));
  const auto on_rows = [&](const engine::Pass& pass, int first) {
    const int rows = static_cast<int>(pass.rows.size());
    if (counted != nullptr) counted->count(answer, pass, first);
    for (int row = 0; row < rows && first + row + 1 <= last_drafted; ++row)
      note(answer, first + row + 1, pass, row);
  };
  engine::forward_text(target_, forwarded,
                       {.request = {.heads = ranking_, .best_keys = counted != nullptr},
                        .observed_from = answer.prompt - 1},
                       on_rows);
}

void HeadSweep::note(const Answer& answer, int t, const engine::Pass& pass, int row) {
  std::vector<int> sources;
  draft::copy_sources(std::span(answer.tokens).first(static_cast<std::size_t>(t) + 1), sources);
  std::vector<float> attention;  // [heads, sources]
  pass.observed.attention(row, ranking_, sources, attention);
  Vote ranked(sources);
  std::vector<Vote> layers(static_cast<std::size_t>(target_.config().layers), Vote(sources));
  std::size_t choice = 0;
  for (std::size_t n = 0; n < ranking_.size(); ++n) {
    const auto of_head = std::span(attention).subspan(n * sources.size(), sources.size());
    ranked.add(of_head);
    layers[static_cast<std::size_t>(ranking_[n].layer - 1)].add(of_head);
    for (; choice < choices_.size() && choices_[choice].layer == HeadChoice::kRanked &&
           choices_[choice].count == static_cast<int>(n) + 1;
         ++choice)
      table_.note(choice, ranked.scored(choices_[choice].aggregation));
  }
  for (; choice < choices_.size(); ++choice) {
    const Vote& layer = layers[static_cast<std::size_t>(choices_[choice].layer - 1)];
    table_.note(choice, layer.scored(choices_[choice].aggregation));
  }
}

std::size_t note_sweep(const HeadSweep& sweep, int draft_length, draft::PldPlusHeads& found) {
  found.draft_length = draft_length;
  std::size_t best = 0;
  double most = 0;
  for (std::size_t c = 0; c < sweep.choices().size(); ++c) {
    const HeadChoice& choice = sweep.choices()[c];
    const double tau = sweep.table().replay(c, {.draft_length = draft_length}).tokens_per_pass();
    if (choice.layer != HeadChoice::kRanked) {
      found.layer_sweep.push_back(tau);
      continue;
    }
    found.sweep.push_back(tau);
    if (choice.aggregation == Aggregation::kMax) found.sweep_heads.push_back(choice.count);
    if (tau > most) best = c;
    most = std::max(most, tau);
  }
  const auto tables = sweep.table().by_temperature();
  for (const auto& [temperature, answered] : tables)
    for (std::size_t c = 0; c < found.sweep.size(); ++c)
      found.sweep_at.push_back(
          answered.replay(c, {.draft_length = draft_length}).tokens_per_pass());
  found.chosen = sweep.choices()[best].count;
  found.aggregation = sweep.choices()[best].aggregation == Aggregation::kMax ? "max" : "sum";
  return best;
}

}  // namespace outrider::calibrate
