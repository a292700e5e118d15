#pragma once

#include "runtime/engine/cuda/kernel_args.h"
#include "runtime/engine/cuda/row_args.h"

namespace outrider::engine::cuda {

/// A row of a draft.
struct DraftedRow {
  int parent;  // among the draft's rows; of the first any
  int token;
  int choice;  // number of what was found in its parent's row, among FollowArgs::found
};

/// Where a draft's rows lie: the slots from `first` on of its cache.
struct DraftPlace {
  std::uint8_t* cache;
  std::size_t head_bytes;  // of one head's keys, or values
  int first;
};

/// The rows of a draft that were accepted, the root first: numbers among its rows.
struct FollowedPath {
  static constexpr int kMost = 64;
  int length;
  int rows[kMost];
};

/// All that is known of drafts before the choices after their rows. A draft that is no chain has three rows.
struct FollowedDrafts {
  static constexpr int kMost = FollowedPath::kMost / 3;
  DraftPlace places[kMost];
  int first_rows[kMost + 1];  // where each draft's rows begin, and where the last one's end
  DraftedRow rows[FollowedPath::kMost];
};

/// Drafts, and the choices after their rows.
struct FollowArgs {
  const RowFound* found;
  const FollowedDrafts* drafts;
  int count;
  FollowedPath* paths;  // [count]
};

/// Moves the rows of paths, which launches before have found, to the first slots of their drafts.
struct MovePathArgs {
  const FollowedDrafts* drafts;
  const FollowedPath* paths;  // [count]
  int count;
  int layers;
  HeadShape shape;
};

}  // namespace outrider::engine::cuda
