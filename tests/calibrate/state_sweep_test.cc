#include "calibrate/pld_plus/state_sweep.h"

#include <gtest/gtest.h>

#include <cmath>

#include "calibrate/pld_plus/answer.h"
#include "runtime/draft/copy_sources.h"
#include "tests/support/tiny_engine.h"

namespace outrider::calibrate {
namespace {

constexpr int kLayer = 1;

Answer wordy_answer(std::uint64_t seed) { return {"p", "t", test::random_tokens(90, 8, seed), 40}; }

/// [position][width] states of all but the last two tokens, in one pass.
std::vector<std::vector<double>> states_of(engine::Engine& target, const Answer& answer) {
  engine::Taps taps;
  taps.layers = {kLayer};
  std::vector<std::vector<double>> states;
  const std::span<const Token> all(answer.text.data(), answer.text.size() - 2);
  forward_tapped(target, all, 0, taps, [&](int, int rows) {
    const std::size_t width = taps.states[0].size() / static_cast<std::size_t>(rows);
    for (auto row = taps.states[0].begin();
         row != taps.states[0].begin() + rows * static_cast<std::ptrdiff_t>(width);
         row += static_cast<std::ptrdiff_t>(width))
      states.emplace_back(row, row + static_cast<std::ptrdiff_t>(width));
  });
  return states;
}

std::vector<double> mean(const std::vector<std::vector<double>>& states, int last, int m) {
  const int first = std::max(0, last - m + 1);
  std::vector<double> mean(states[0].size(), 0);
  for (int p = first; p <= last; ++p)
    for (std::size_t i = 0; i < mean.size(); ++i)
      mean[i] += states[static_cast<std::size_t>(p)][i] / (last - first + 1);
  return mean;
}

double cosine(const std::vector<double>& a, const std::vector<double>& b) {
  double ab = 0, aa = 0, bb = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    ab += a[i] * b[i];
    aa += a[i] * a[i];
    bb += b[i] * b[i];
  }
  return ab / std::sqrt(aa * bb);
}

TEST(StateSweep, MeansOfOnePositionAreItsStates) {
  test::TinyEngine target(model::WeightType::kQ4_1, 1, 1);
  StateSweep plain(target.engine, every_layer(target.engine.config()));
  StateSweep means(target.engine, means_of_layer(kLayer, 3));
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    plain.add(wordy_answer(seed));
    means.add(wordy_answer(seed));
  }
  for (const int draft_length : {1, 10}) {
    const Replay one = means.table().replay(0, {.draft_length = draft_length});
    const Replay same = plain.table().replay(kLayer, {.draft_length = draft_length});
    EXPECT_EQ(one.accepted, same.accepted);
    EXPECT_EQ(one.passes, same.passes);
  }
}

TEST(StateSweep, RanksByTheCosineOfMeans) {
  test::TinyEngine target(model::WeightType::kF32, 2, 1);
  int differs = 0;
  for (const std::uint64_t seed : {1u, 2u, 3u, 4u}) {
    const Answer answer = wordy_answer(seed);
    const auto states = states_of(target.engine, answer);
    StateSweep means(target.engine, means_of_layer(kLayer, 6));
    means.add(answer);
    for (int m = 1; m <= 6; ++m) {
      CopyTable slow(1);
      slow.begin(answer);
      for (int t = answer.prompt; t + 2 <= static_cast<int>(answer.text.size()); ++t) {
        const std::span<const Token> text(answer.text.data(), static_cast<std::size_t>(t) + 1);
        int best = -1;
        double score = -2;
        for (const int j : draft::copy_sources(text)) {
          if (j == 0) continue;
          const double here = cosine(mean(states, j - 1, m), mean(states, t - 1, m));
          if (here > score) best = j;
          score = std::max(score, here);
        }
        if (best < 0) {
          slow.note(0, {});
        } else {
          slow.note(0, std::vector<draft::RankedSource>{{best, 1}});
        }
      }
      const Replay wanted = slow.replay(0, {});
      const Replay found = means.table().replay(static_cast<std::size_t>(m) - 1, {});
      EXPECT_EQ(found.passes, wanted.passes) << "m = " << m;
      EXPECT_EQ(found.accepted, wanted.accepted) << "m = " << m;
      differs += found.accepted != means.table().replay(0, {}).accepted ? 1 : 0;
    }
  }
  EXPECT_GE(differs, 3);  // so that the wrong m would be seen
}

}  // namespace
}  // namespace outrider::calibrate
