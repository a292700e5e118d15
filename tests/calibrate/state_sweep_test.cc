#include "calibrate/pld_plus/state_sweep.h"

#include <gtest/gtest.h>

#include <cmath>

#include "calibrate/pld_plus/copied_tokens.h"
#include "runtime/draft/copy/copy_sources.h"
#include "runtime/engine/forward_text.h"
#include "tests/support/tiny_engine.h"

namespace outrider::calibrate {
namespace {

constexpr int kLayer = 1;

Answer wordy_answer(std::uint64_t seed) { return {"p", "t", test::random_tokens(90, 8, seed), 40}; }

/// [position][width] states of all but the last two tokens, in one pass.
std::vector<std::vector<double>> states_of(engine::Engine& target, const Answer& answer) {
  std::vector<std::vector<double>> states;
  const std::span<const Token> all(answer.tokens.data(), answer.tokens.size() - 2);
  engine::forward_text(target, all, {.request = {.layers = {kLayer}}},
                       [&](const engine::Pass& pass, int) {
                         for (int row = 0; row < static_cast<int>(pass.rows.size()); ++row) {
                           const auto state = pass.observed.state(kLayer, row);
                           states.emplace_back(state.begin(), state.end());
                         }
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
      for (int t = answer.prompt; t + 2 <= static_cast<int>(answer.tokens.size()); ++t) {
        const std::span<const Token> text(answer.tokens.data(), static_cast<std::size_t>(t) + 1);
        int best = -1;
        double score = -2;
        std::vector<int> sources;
        draft::copy_sources(text, sources);
        for (const int j : sources) {
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

/// [position][vocab] logits of every position, in one pass.
std::vector<std::vector<float>> logits_of(engine::Engine& target, const Answer& answer) {
  const auto cache = target.make_cache(static_cast<int>(answer.tokens.size()));
  engine::Pass pass;
  pass.sequences = {cache.get()};
  pass.add_chain(0, answer.tokens, true);
  target.forward(pass);
  std::vector<std::vector<float>> logits;
  for (int row = 0; row < static_cast<int>(answer.tokens.size()); ++row) {
    const auto of_row = pass.row_logits(row);
    logits.emplace_back(of_row.begin(), of_row.end());
  }
  return logits;
}

TEST(StateSweep, WeighsTheLogitsThatTheRowBeforeGivesToTheNextToken) {
  test::TinyEngine target(model::WeightType::kF32, 2, 1);
  const std::vector<double> weights = {0, 0.02, 0.2, 3};
  int differs = 0;
  for (const std::uint64_t seed : {1u, 2u, 3u, 4u}) {
    const Answer answer = wordy_answer(seed);
    const auto states = states_of(target.engine, answer);
    const auto logits = logits_of(target.engine, answer);
    StateSweep sweep(target.engine, weights_of_layer(kLayer, weights));
    sweep.add(answer);
    for (std::size_t w = 0; w < weights.size(); ++w) {
      CopyTable slow(1);
      slow.begin(answer);
      for (int t = answer.prompt; t + 2 <= static_cast<int>(answer.tokens.size()); ++t) {
        const auto at = [](int i) { return static_cast<std::size_t>(i); };
        const std::span<const Token> text(answer.tokens.data(), at(t) + 1);
        int best = -1;
        double most = 0;
        std::vector<int> sources;
        draft::copy_sources(text, sources);
        for (const int j : sources) {
          if (j == 0) continue;
          const double logit =
              static_cast<double>(logits[at(t - 1)][static_cast<std::size_t>(text[at(j + 1)])]);
          const double here = cosine(states[at(j - 1)], states[at(t - 1)]) + weights[w] * logit;
          if (best < 0 || here > most) best = j;
          most = best == j ? here : most;
        }
        slow.note(0, best < 0 ? std::vector<draft::RankedSource>{}
                              : std::vector<draft::RankedSource>{{best, 1}});
      }
      const Replay wanted = slow.replay(0, {});
      const Replay found = sweep.table().replay(w, {});
      EXPECT_EQ(found.passes, wanted.passes) << "weight " << weights[w];
      EXPECT_EQ(found.accepted, wanted.accepted) << "weight " << weights[w];
      differs += found.accepted != sweep.table().replay(0, {}).accepted ? 1 : 0;
    }
  }
  EXPECT_GE(differs, 3);  // so that a wrong logit would be seen
}

TEST(StateSweep, ComesBackFromAJournalWithLogits) {
  test::TinyEngine target(model::WeightType::kF32, 2, 1);
  StateSweep sweep(target.engine, weights_of_layer(kLayer, {0.2, 3}), 3), again = sweep;
  const Answer answer = wordy_answer(1);
  sweep.add(answer);
  ASSERT_TRUE(again.table().restore(answer, sweep.table().last_noted()));
  for (const std::size_t ranking : {0u, 1u})
    for (const int branches : {1, 3})
      EXPECT_EQ(again.table().replay(ranking, {.branches = branches}).accepted,
                sweep.table().replay(ranking, {.branches = branches}).accepted);
  EXPECT_EQ(again.table().last_noted(), sweep.table().last_noted());
}

}  // namespace
}  // namespace outrider::calibrate
