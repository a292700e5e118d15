#pragma once

#include <functional>
#include <span>

#include "runtime/engine/engine.h"
#include "runtime/engine/text_step.h"

namespace outrider::engine {

/// Called after each pass over rows from `observed_from` on, once they are committed. @param first
/// the position of its first row
using OnRows = std::function<void(const Pass& pass, int first)>;

/// Adds the rows of `count` positions from `first` on to a pass without rows: see TextStep.
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
