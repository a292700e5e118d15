#pragma once

#include <span>

#include "runtime/engine/kv_cache.h"
#include "runtime/engine/logits.h"
#include "runtime/engine/row_reader.h"

namespace outrider::engine {

/// Drafts chains where an engine's passes run: each choice is the token of the next pass, and the host waits once.
class ChainReader {
 public:
  virtual ~ChainReader() = default;

  /// Answers a question about a row, and each later one about the row of the token that the one before ranked first. The rows
  /// of all tokens but the last are forwarded one after the other, after those that the cache holds, and are not held yet.
  /// @param after      a row that a pass of the engine left, of the last token that the cache holds
  /// @param questions  about rankings, alike but for their positions; their rows are not looked at
  /// @throws std::logic_error as RowReader
  virtual void answer(KvCache& cache, const LogitsRow& after,
                      std::span<const RowQuestion> questions, std::span<RowAnswer> answers) = 0;
};

}  // namespace outrider::engine
