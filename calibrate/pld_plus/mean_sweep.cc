#include "calibrate/pld_plus/mean_sweep.h"

#include <algorithm>

#include "calibrate/pld_plus/answer.h"
#include "runtime/draft/copy_sources.h"
#include "runtime/draft/state_ranking.h"

namespace outrider::calibrate {
namespace {

/// The sum of the last `count` of the rows; that it is no mean does not change its direction.
std::vector<float> sum_of_last(const std::vector<float>& rows, std::size_t width,
                               std::size_t count) {
  std::vector<float> sum(width, 0.0F);
  const std::size_t all = rows.size() / width;
  for (std::size_t row = all - std::min(all, count); row < all; ++row)
    for (std::size_t i = 0; i < width; ++i) sum[i] += rows[row * width + i];
  return sum;
}

}  // namespace

MeanSweep::MeanSweep(engine::Engine& target, int layer, int most)
    : target_(target), layer_(layer), table_(static_cast<std::size_t>(most)) {}

void MeanSweep::add(const Answer& answer) {
  const int length = static_cast<int>(answer.text.size());
  table_.begin(answer);
  // The draft behind position t is chosen by row t - 1; the last position has nothing behind it.
  if (length - answer.prompt < 2) return;
  engine::Taps taps;
  taps.layers = {layer_};
  std::vector<draft::StateRanking> means(table_.rankings());
  std::vector<float> rows;
  const std::size_t width = static_cast<std::size_t>(target_.config().width);
  const std::span<const Token> forwarded(answer.text.data(), static_cast<std::size_t>(length - 2));
  forward_tapped(target_, forwarded, 0, taps, [&](int, int count) {
    for (std::size_t row = 0; row < static_cast<std::size_t>(count); ++row) {
      const auto state = std::span(taps.states[0]).subspan(row * width, width);
      rows.insert(rows.end(), state.begin(), state.end());
      for (std::size_t m = 0; m < means.size(); ++m) means[m].add(sum_of_last(rows, width, m + 1));
    }
  });
  for (int t = answer.prompt; t <= length - 2; ++t) {
    const auto sources =
        draft::copy_sources(std::span(answer.text).first(static_cast<std::size_t>(t) + 1));
    for (std::size_t m = 0; m < means.size(); ++m) table_.note(m, means[m].scored(sources, t));
  }
}

}  // namespace outrider::calibrate
