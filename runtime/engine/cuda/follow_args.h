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

/// Drafts, and the choices after their rows.
struct FollowArgs {
  const RowFound* found;
  const DraftedRow* rows;  // of all drafts
  const int*
      first_rows;  // [drafts + 1] where each draft's rows begin, and where the last one's end
  int drafts;
  FollowedPath* paths;  // [drafts]
};

}  // namespace outrider::engine::cuda
