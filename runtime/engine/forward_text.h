#pragma once

#include <functional>
#include <limits>
#include <span>

#include "runtime/engine/engine.h"

namespace outrider::engine {

/// Settings for forwarding a text, or rows given as states, in chunks. Positions are those of the sequence.
struct TextOptions {
  int rows = 64;            // of a pass, at most
  TapRequest request = {};  // for rows from `observed_from` on, where a new pass begins
  int observed_from = 0;
  TapRequest at_end = {};  // in addition, for the pass with the text's last row
  /// The first position whose row wants logits.
  int logits_from = std::numeric_limits<int>::max();
  std::function<bool()> go_on = {};  // called before each pass; false stops
};

/// Called after each pass over rows from `observed_from` on, once they are committed. @param first
/// the position of its first row
using OnRows = std::function<void(const Pass& pass, int first)>;

/// Adds the rows of `count` positions from `first` on to a pass without rows, each after the one before it. Rows that it
/// adds after these are forwarded too, and not committed.
using AddRows = std::function<void(Pass& pass, int first, int count)>;

/// Forwards rows as one chain after the cache's committed tokens, and commits them.
/// @param pass   the buffer of the passes; keeps the last one's logits
/// @param count  of the rows
/// @return whether all were forwarded
bool forward_rows(Engine& engine, KvCache& cache, Pass& pass, int count, const AddRows& add_rows,
                  const TextOptions& options = {}, const OnRows& on_rows = {});

/// Forwards tokens as one chain after the cache's committed tokens, and commits them.
/// @param pass  the buffer of the passes; keeps the last one's logits
/// @return whether all tokens were forwarded
bool forward_text(Engine& engine, KvCache& cache, Pass& pass, std::span<const Token> tokens,
                  const TextOptions& options = {}, const OnRows& on_rows = {});
/// Forwards tokens as one chain in a new cache.
bool forward_text(Engine& engine, std::span<const Token> tokens, const TextOptions& options,
                  const OnRows& on_rows);

}  // namespace outrider::engine
