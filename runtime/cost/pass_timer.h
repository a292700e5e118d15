#pragma once

#include <map>
#include <memory>
#include <span>
#include <vector>

#include "runtime/cost/pass_shape.h"
#include "runtime/engine/engine.h"

namespace outrider::cost {

/// The time of passes over a few new rows after a context, as verification makes them. The tokens, or the states
/// where a model's rows are states, are arbitrary: no operation's time depends on them.
class PassTimer {
 public:
  explicit PassTimer(engine::Engine& engine);
  /// Copies contexts that `filled` has in place of forwarding them. @param filled  of an engine over the same
  /// weights; must outlive this
  PassTimer(engine::Engine& engine, PassTimer& filled);

  static constexpr int kMostRows = 512;

  /// Seconds of one pass over a chain of `rows` new rows, all with logits. Nothing is committed. The
  /// first call for a context fills its cache.
  /// @param times  added to when given
  double seconds(int context, int rows, engine::StepTimes* times = nullptr);
  /// Seconds of one pass over a tree. @param parents  [rows], -1: the context; parents come first
  double seconds(int context, std::span<const int> parents, engine::StepTimes* times = nullptr);
  /// Seconds of one pass over a point's rows. Every sequence has keys and values of its own.
  /// @param point  at least a row for each sequence
  double seconds(const PassPoint& point);

  /// The logits of the last row of the last pass.
  engine::LogitsRow logits() const {
    return {&pass_.logits, static_cast<int>(pass_.rows.size()) - 1};
  }

  /// Calls draft(cache, logits) to go on after the last pass, which had one sequence; what it adds is dropped.
  template <typename Draft>
  void go_on(const Draft& draft) {
    engine::KvCache& cache = *pass_.sequences.front();
    cache.hold();
    draft(cache, logits());
    cache.drop();
  }

  /// Seconds to prefill `tokens` tokens after `depth` tokens of context, `chunk` at a time.
  double prefill_seconds(int depth, int tokens, int chunk);

 private:
  using Caches = std::vector<std::unique_ptr<engine::KvCache>>;

  /// The first `sequences` caches of a context.
  Caches& caches_of(int context, int sequences);
  /// The cache with the most tokens of those that hold `context` at most; null: there is none.
  const engine::KvCache* longest_within(int context) const;
  void add_rows(int sequence, int context, std::span<const int> parents);
  double forward();
  void fill(engine::KvCache& cache, int tokens, int chunk);
  const float* state() const { return state_.empty() ? nullptr : state_.data(); }

  engine::Engine& engine_;
  std::vector<float> state_;  // of every row, where rows are states; else empty
  PassTimer* filled_ = nullptr;
  std::map<int, Caches> caches_;  // by context
  engine::Pass pass_;
};

}  // namespace outrider::cost
