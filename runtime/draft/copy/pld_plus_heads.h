#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/draft/copy/pld_plus_lengths.h"

namespace outrider::draft {

/// The heads that attend to copied tokens' sources, and the results of PLD+ (a) with them.
struct PldPlusHeads {
  int layers = 0;
  int heads = 0;  // per layer
  /// Counts by half of the prompts (0: for the ranking, 1: for the sweep) and task.
  std::vector<std::string> tasks;
  std::vector<std::int64_t> tokens;  // [2, tasks] tokens copied from the prompt
  std::vector<std::int64_t> hits;    // [2, tasks, layers, heads]
  /// (layer from 1, head from 0) of every head, the one with the most hits first.
  std::vector<std::int32_t> ranking;  // [layers * heads, 2]
  /// Tokens per pass on the other half, with the largest attention and with the sum.
  std::vector<std::int32_t> sweep_heads;  // [n] numbers of heads, from the ranking
  std::vector<double> sweep;              // [n, 2]
  std::vector<double> layer_sweep;        // [layers, 2] with all heads of a layer
  int draft_length = 0;                   // of the sweep
  // The best of the sweep:
  int chosen = 0;           // heads
  std::string aggregation;  // "max", "sum"
  // With these heads, by temperature of the answers, ascending.
  std::vector<PldPlusTemperature> temperatures;
  std::vector<double> sweep_at;  // [temperatures, n, 2] as `sweep`

  /// The hash of the chosen heads and of how they are combined: what trials of PLD+ (a) are of.
  std::string choice() const;
};

/// [heads] Indices into `hits`, most hits first; the lowest index on a tie.
std::vector<int> ranked_by_hits(std::span<const std::int64_t> hits);
/// [heads] Indices into the shares of `hit_shares`, the largest first; the lowest index on a tie.
std::vector<int> ranked_by_hits(std::span<const double> shares);

/// [layers, heads] The share of copied tokens, of both halves, whose source the head attended to most.
/// @param task  only tokens of this task
std::vector<double> hit_shares(const PldPlusHeads& found, std::optional<std::size_t> task = {});

/// The number of heads among the first `count` of both halves' rankings by hits. By chance it would be
/// count * count / heads of the model.
int heads_in_common(const PldPlusHeads& found, int count);
/// The heads that are compared: the paper's 50, at most half of them.
int heads_compared(const PldPlusHeads& found);

}  // namespace outrider::draft
