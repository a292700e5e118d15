#pragma once

#include <cstdint>
#include <span>

namespace outrider::train {

/// Sums over rounds of drafting.
struct AcceptedRounds {
  double accepted = 0;  // draft tokens
  std::int64_t rounds = 0;

  double mean() const { return rounds == 0 ? 0 : accepted / static_cast<double>(rounds); }
};

/// The rounds that follow each other on a text when `length` tokens are drafted in each: as many are
/// accepted as agree in a row, and the target adds one. @param agrees  [tokens], 0 or 1
/// @param counted  [tokens]: rounds that begin at another token are not counted
AcceptedRounds greedy_rounds(std::span<const double> agrees, std::span<const std::uint8_t> counted,
                             int length);

/// How many of a round's tokens are expected to be accepted, where each is accepted with this probability if those before it
/// were.
double expected_run(std::span<const double> acceptance);

/// A round from each counted token, where token i is accepted with a probability of its own.
AcceptedRounds expected_rounds(std::span<const double> acceptance,
                               std::span<const std::uint8_t> counted, int length);

}  // namespace outrider::train
