#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "runtime/base/token.h"
#include "runtime/engine/kv_cache.h"
#include "runtime/engine/logits.h"
#include "runtime/engine/observation.h"
#include "runtime/engine/step_times.h"
#include "runtime/engine/tap_request.h"

namespace outrider::engine {

/// One token to forward.
struct Row {
  /// Instead of a parent: the row follows the sequence's last committed token.
  static constexpr int kCommitted = KvCache::kCommitted;
  /// The parent is row number `row` among those that the sequence's cache holds from earlier
  /// passes.
  static constexpr int held(int row) { return kCommitted - 1 - row; }

  Token token = 0;
  int sequence = 0;         // index into Pass::sequences
  int parent = kCommitted;  // the row of this pass that it follows, kCommitted or held(row)
  bool wants_logits = false;
  /// [width] instead of the token's embedding; null: the embedding. With a state, the token is
  /// ignored. Rows of a model with a projection of states are all given as states [state_inputs].
  const float* state = nullptr;
};

/// Rows of any number of sequences, forwarded together. Parents come before their children.
struct Pass {
  std::vector<KvCache*> sequences;
  std::vector<Row> rows;
  TapRequest request;          // the outputs other than logits
  StepTimes* times = nullptr;  // added to when given

  /// Adds a sequence. @return its index, for rows
  int add_sequence(KvCache& cache) {
    sequences.push_back(&cache);
    return static_cast<int>(sequences.size()) - 1;
  }

  /// Adds rows that follow each other, the first after the sequence's committed tokens.
  void add_chain(int sequence, std::span<const Token> tokens, bool wants_logits) {
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      const int parent = i == 0 ? Row::kCommitted : static_cast<int>(rows.size()) - 1;
      rows.push_back({tokens[i], sequence, parent, wants_logits});
    }
  }

  // Outputs.
  Logits logits;  // of the rows that want them, in order of rows
  Observation observed;

  /// The logits of the i-th row that wanted them, [num_logits].
  std::span<const float> row_logits(int i) const { return logits.row(i); }
  /// The logits of a row, [num_logits]; empty if it wanted none.
  std::span<const float> logits_of(int row) const {
    const auto it = rows.begin() + row;
    if (!it->wants_logits) return {};
    return row_logits(static_cast<int>(
        std::count_if(rows.begin(), it, [](const Row& before) { return before.wants_logits; })));
  }
};

}  // namespace outrider::engine
