#pragma once

#include <functional>
#include <limits>
#include <span>

#include "runtime/engine/engine.h"

namespace outrider::engine {

/// How a text is forwarded, some rows at a time. Positions are those of the sequence.
struct TextOptions {
  int rows = 64;            // of a pass, at most
  TapRequest request = {};  // of the rows from `observed_from` on, where a pass begins
  int observed_from = 0;
  TapRequest at_end = {};  // beside it, of the pass that has the text's last row
  /// The first position whose row wants logits.
  int logits_from = std::numeric_limits<int>::max();
  std::function<bool()> go_on = {};  // asked before each pass; false ends it
};

/// Told of each pass over rows from `observed_from` on, after they were committed. @param first  the position of its first row
using OnRows = std::function<void(const Pass& pass, int first)>;

/// Forwards tokens as one chain after what the cache has committed, and commits them.
/// @param pass  what the passes are made in; the last one's logits stay in it
/// @return whether all were forwarded
bool forward_text(Engine& engine, KvCache& cache, Pass& pass, std::span<const Token> tokens,
                  const TextOptions& options = {}, const OnRows& on_rows = {});
/// The same in a cache of its own.
bool forward_text(Engine& engine, std::span<const Token> tokens, const TextOptions& options,
                  const OnRows& on_rows);

}  // namespace outrider::engine
