#include "calibrate/pld_plus/layer_sweep.h"

#include <numeric>

#include "runtime/draft/copy_sources.h"
#include "runtime/draft/state_ranking.h"

namespace outrider::calibrate {

LayerSweep::LayerSweep(engine::Engine& target)
    : target_(target), table_(static_cast<std::size_t>(target.config().layers) + 1) {}

void LayerSweep::add(const Answer& answer) {
  const int length = static_cast<int>(answer.text.size());
  // The draft behind position t is chosen by row t - 1; the last position has nothing behind it.
  if (length - answer.prompt < 2) return;
  engine::Taps taps;
  taps.layers.resize(table_.size());
  std::iota(taps.layers.begin(), taps.layers.end(), 0);
  std::vector<draft::StateRanking> states(table_.size());
  const std::size_t width = static_cast<std::size_t>(target_.config().width);
  const std::span<const Token> forwarded(answer.text.data(), static_cast<std::size_t>(length - 2));
  forward_tapped(target_, forwarded, 0, taps, [&](int, int rows) {
    for (std::size_t l = 0; l < states.size(); ++l)
      for (std::size_t row = 0; row < static_cast<std::size_t>(rows); ++row)
        states[l].add(std::span(taps.states[l]).subspan(row * width, width));
  });
  for (auto& of_layer : table_) of_layer.emplace_back();
  for (int t = answer.prompt; t <= length - 2; ++t) {
    const auto sources =
        draft::copy_sources(std::span(answer.text).first(static_cast<std::size_t>(t) + 1));
    for (std::size_t l = 0; l < states.size(); ++l) {
      LayerChance& chance = table_[l].back().emplace_back();
      const auto best = states[l].best(sources, t);
      if (best) chance = {best->score, copy_chance(answer.text, t, best->position)};
    }
  }
}

Replay LayerSweep::replay(int layer, int draft_length, double threshold) const {
  Replay total;
  std::vector<CopyChance> chances;
  for (const auto& positions : table_[static_cast<std::size_t>(layer)]) {
    chances.clear();
    for (const LayerChance& chance : positions) {
      const bool liked = threshold <= -1 || chance.cosine >= static_cast<float>(threshold);
      chances.push_back(liked ? chance.copy : CopyChance());
    }
    total.add(calibrate::replay(chances, draft_length));
  }
  return total;
}

}  // namespace outrider::calibrate
