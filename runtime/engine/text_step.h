#pragma once

#include <functional>
#include <limits>

#include "runtime/engine/pass_steps.h"

namespace outrider::engine {

/// Settings for forwarding a text, or rows given as states, in chunks. Positions are those of the sequence.
struct TextOptions {
  int rows = 64;            // of a pass, at most
  TapRequest request = {};  // for rows from `observed_from` on, where a new pass begins
  int observed_from = 0;
  TapRequest at_end = {};  // in addition, for the pass with the text's last row
  /// The first position whose row wants logits.
  int logits_from = std::numeric_limits<int>::max();
  std::function<bool()> go_on = {};  // of forward_rows: called before each pass; false stops
};

/// Forwards rows as one chain after a cache's committed tokens, and commits them: the next chunk of them in each pass,
/// until the step is done.
class TextStep : public PassStep {
 public:
  /// @param cache, options  must outlive it
  /// @param end             the length that the cache reaches
  TextStep(KvCache& cache, int end, const TextOptions& options)
      : cache_(cache), options_(options), end_(end) {}

  bool is_done() const { return cache_.length() == end_; }
  void add_rows(Pass& pass) override;
  void take(const StepRows& rows) override;

 protected:
  /// Adds the rows of `count` positions from `first` on, each after the one before it. Rows that it adds after these are
  /// forwarded too, and not committed.
  virtual void add_chunk(Pass& pass, int sequence, int first, int count) = 0;

 private:
  KvCache& cache_;
  const TextOptions& options_;
  int end_;
  int count_ = 0;  // rows of the chunk at hand
};

/// Forwards the chunks that are left, each in a pass of its own.
void forward_chunks(Engine& engine, Pass& pass, TextStep& step);

}  // namespace outrider::engine
