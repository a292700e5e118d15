#pragma once

#include <gtest/gtest.h>

#include <cstddef>

namespace outrider::artifacts {

/// Compares what the settings of trees and of graphs have in common: the pair and its passes, and of each trial
/// the setting, the counts and the speed.
template <typename Settings>
void expect_same_passes(const Settings& found, const Settings& expected) {
  EXPECT_EQ(found.draft, expected.draft);
  EXPECT_EQ(found.numerics, expected.numerics);
  EXPECT_EQ(found.threads, expected.threads);
  EXPECT_EQ(found.draft_threads, expected.draft_threads);
  EXPECT_EQ(found.context, expected.context);
  EXPECT_EQ(found.rows, expected.rows);
  EXPECT_EQ(found.shares, expected.shares);
  ASSERT_EQ(found.by_temperature.size(), expected.by_temperature.size());
  for (std::size_t i = 0; i < found.by_temperature.size(); ++i) {
    const auto &one = found.by_temperature[i], &other = expected.by_temperature[i];
    EXPECT_EQ(one.temperature, other.temperature);
    EXPECT_EQ(one.positions, other.positions);
    EXPECT_EQ(one.plain_tokens_per_second, other.plain_tokens_per_second);
    ASSERT_EQ(one.trials.size(), other.trials.size());
    for (std::size_t n = 0; n < one.trials.size(); ++n) {
      const auto &a = one.trials[n], &b = other.trials[n];
      EXPECT_EQ(a.setting, b.setting);
      EXPECT_EQ(a.rounds, b.rounds);
      EXPECT_EQ(a.tokens, b.tokens);
      EXPECT_EQ(a.drafted, b.drafted);
      EXPECT_EQ(a.verified.counts(), b.verified.counts());
      EXPECT_EQ(a.drafting.counts(), b.drafting.counts());
      EXPECT_EQ(a.tokens_per_second, b.tokens_per_second);
    }
  }
}

}  // namespace outrider::artifacts
