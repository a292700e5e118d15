#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "runtime/decode/decode_result.h"

namespace outrider::decode {

/// Names a sequence of a Batch; never given twice.
using SequenceId = std::int64_t;

/// A sequence that is about to draft.
struct RowShare {
  SequenceId sequence = 0;
  const DecodeStats* stats = nullptr;  // so far: what was drafted and accepted of it
  /// The nodes that its next draft may have, without the root. On entry the most that its text and its cache have
  /// room for; a rule lowers it, down to 0: no draft.
  int nodes = 0;
};

/// Says before each pass how many rows the sequences may draft.
/// @param rows  that the pass still has room for, besides one for the last token of each of these sequences
using ShareRows = std::function<void(std::span<RowShare> sequences, int rows)>;

/// The same number for each, so that all fit.
void share_rows_evenly(std::span<RowShare> sequences, int rows);

}  // namespace outrider::decode
