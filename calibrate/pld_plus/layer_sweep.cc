#include "calibrate/pld_plus/layer_sweep.h"

#include <numeric>

#include "runtime/draft/copy_sources.h"
#include "runtime/draft/state_ranking.h"

namespace outrider::calibrate {
namespace {

std::vector<int> all_layers(const engine::Engine& target) {
  std::vector<int> layers(static_cast<std::size_t>(target.config().layers) + 1);
  std::iota(layers.begin(), layers.end(), 0);
  return layers;
}

}  // namespace

LayerSweep::LayerSweep(engine::Engine& target) : LayerSweep(target, all_layers(target), 1) {}

LayerSweep::LayerSweep(engine::Engine& target, std::vector<int> layers, int branches)
    : target_(target), table_(layers.size(), branches) {
  taps_.layers = std::move(layers);
}

void LayerSweep::add(const Answer& answer) {
  const int length = static_cast<int>(answer.text.size());
  table_.begin(answer);
  // The draft behind position t is chosen by row t - 1; the last position has nothing behind it.
  if (length - answer.prompt < 2) return;
  std::vector<draft::StateRanking> states(taps_.layers.size());
  const std::size_t width = static_cast<std::size_t>(target_.config().width);
  const std::span<const Token> forwarded(answer.text.data(), static_cast<std::size_t>(length - 2));
  forward_tapped(target_, forwarded, 0, taps_, [&](int, int rows) {
    for (std::size_t l = 0; l < states.size(); ++l)
      for (std::size_t row = 0; row < static_cast<std::size_t>(rows); ++row)
        states[l].add(std::span(taps_.states[l]).subspan(row * width, width));
  });
  for (int t = answer.prompt; t <= length - 2; ++t) {
    const auto sources =
        draft::copy_sources(std::span(answer.text).first(static_cast<std::size_t>(t) + 1));
    for (std::size_t l = 0; l < states.size(); ++l) table_.note(l, states[l].scored(sources, t));
  }
}

}  // namespace outrider::calibrate
