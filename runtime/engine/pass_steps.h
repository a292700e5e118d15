#pragma once

#include <span>

#include "runtime/engine/engine.h"

namespace outrider::engine {

/// A step's rows, in a pass that other steps may share.
struct StepRows {
  const Pass* pass = nullptr;  // its outputs are valid until it is forwarded again
  int first = 0;
  int count = 0;
  int first_logits = 0;  // rows before its first one that want logits

  /// The logits of its i-th row that wanted them.
  LogitsRow logits(int i) const { return {&pass->logits, first_logits + i}; }
};

/// What one sequence does in a pass: it adds rows, and takes what it needs of their outputs. Sequences can share a pass.
class PassStep {
 public:
  virtual ~PassStep() = default;
  /// Adds the sequence's cache, and its rows after those that the pass has, none of which it may follow.
  virtual void add_rows(Pass& pass) = 0;
  /// Called when the pass is forwarded, in the order of the steps.
  virtual void take(const StepRows& rows) = 0;
};

/// Forwards the rows of all steps, of as many sequences, in one pass. @param pass  the buffer; keeps its outputs
void forward_steps(Engine& engine, Pass& pass, std::span<PassStep* const> steps);
/// Forwards those of one step.
void forward_step(Engine& engine, Pass& pass, PassStep& step);

}  // namespace outrider::engine
