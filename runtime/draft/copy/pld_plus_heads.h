#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/draft/copy/pld_plus_settings.h"

namespace outrider::draft {

/// The heads that attend to what is copied, and how well PLD+ (a) drafts with them.
struct PldPlusHeads {
  int layers = 0;
  int heads = 0;  // a layer
  /// What was counted, by half of the prompts (0: the ranking's, 1: the sweep's) and task.
  std::vector<std::string> tasks;
  std::vector<std::int64_t> tokens;  // [2, tasks] tokens copied from the prompt
  std::vector<std::int64_t> hits;    // [2, tasks, layers, heads]
  /// (layer from 1, head from 0) of every head, the one with the most hits first.
  std::vector<std::int32_t> ranking;  // [layers * heads, 2]
  /// Tokens per pass on the other half, by the largest attention and by the sum.
  std::vector<std::int32_t> sweep_heads;  // [n] how many of the ranking
  std::vector<double> sweep;              // [n, 2]
  std::vector<double> layer_sweep;        // [layers, 2] with all heads of a layer
  int draft_length = 0;                   // of the sweep
  // The best of the sweep:
  int chosen = 0;           // heads
  std::string aggregation;  // "max", "sum"
  // With these heads, by the temperature of the answers; there is no threshold.
  std::vector<PldPlusSettings> settings;
  std::vector<double> sweep_at;  // [settings, n, 2] as `sweep`; empty in older files
};

/// [heads] Indices into `hits`, most hits first; the first among equals.
std::vector<int> ranked_by_hits(std::span<const std::int64_t> hits);
/// The same by shares, as `hit_shares` gives them.
std::vector<int> ranked_by_hits(std::span<const double> shares);

/// [layers, heads] The share of copied tokens, of both halves, whose source the head attended to the most.
/// @param task  its tokens alone
std::vector<double> hit_shares(const PldPlusHeads& found, std::optional<std::size_t> task = {});

/// How many heads the rankings by the one half's hits and by the other's have in common among their
/// first `count`. By chance it would be count * count of all heads.
int heads_in_common(const PldPlusHeads& found, int count);
/// The heads that are compared: the paper's 50, at most half of them.
int heads_compared(const PldPlusHeads& found);

}  // namespace outrider::draft
