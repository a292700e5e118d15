#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/artifacts/copy_settings.h"
#include "runtime/hdf5/reader.h"
#include "runtime/hdf5/writer.h"

namespace outrider::artifacts {

inline constexpr const char* kCopyHeadsGroup = "/pld_plus/heads";

/// The heads that look at what is copied, and how well PLD+ (a) drafts with them.
struct CopyHeads {
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
  std::vector<CopySettings> settings;
  std::vector<double> sweep_at;  // [settings, n, 2] as `sweep`; empty in files of old
};

/// [heads] Their places in `hits`, most hits first; the first among equals.
std::vector<int> ranked_by_hits(std::span<const std::int64_t> hits);
/// The same by shares, as `hit_shares` gives them.
std::vector<int> ranked_by_hits(std::span<const double> shares);

/// [layers, heads] The share of copied tokens, of both halves, whose source the head looked at.
/// @param task  its tokens alone
std::vector<double> hit_shares(const CopyHeads& found, std::optional<std::size_t> task = {});

/// How many heads the rankings by the one half's hits and by the other's have in common among their
/// first `count`. By chance it would be count * count of all heads.
int heads_in_common(const CopyHeads& found, int count);
/// The heads that are compared: the paper's 50, at most half of them.
int heads_compared(const CopyHeads& found);

void write_copy_heads(const CopyHeads& found, hdf5::Writer& file, const std::string& group);
/// @throws InputError for what is not such a group
CopyHeads read_copy_heads(const hdf5::Reader& file, const std::string& group);

}  // namespace outrider::artifacts
