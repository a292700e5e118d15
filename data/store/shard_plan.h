#pragma once

#include <cstdint>
#include <vector>

namespace outrider::data {

/// How the conversations of a run are divided into shards, and the shards between processes.
///
/// A conversation is one sample of one prompt, with all its turns. They are numbered in prompt order:
/// prompt * samples + (sample - 1). A shard is a fixed range of these numbers, so its content does
/// not depend on which conversation finishes first, nor on which process writes it.
struct ShardPlan {
  /// Limit of files in one folder, so that a damaged manifest cannot allocate all memory.
  static constexpr int kMostShards = 1 << 20;

  std::int64_t conversations = 0;
  /// Small enough that a kill loses seconds of work, large enough to compress; see
  /// `choose_shard_size`.
  int conversations_per_shard = 16;
  int part = 1;  // `--shard part/parts`, from 1
  int parts = 1;

  int shards() const {
    return static_cast<int>((conversations + conversations_per_shard - 1) /
                            conversations_per_shard);
  }
  bool has_too_many_shards() const {
    return conversations > std::int64_t{kMostShards} * conversations_per_shard;
  }
  /// Shard s has conversations [first(s), first(s + 1)).
  std::int64_t first(int shard) const {
    const std::int64_t begin = std::int64_t{shard} * conversations_per_shard;
    return begin < conversations ? begin : conversations;
  }
  bool is_ours(int shard) const { return shard % parts == part - 1; }
};

}  // namespace outrider::data
