#pragma once

#include <memory>

#include "runtime/engine/engine.h"
#include "runtime/sampling/chooser.h"
#include "runtime/serve/text_order.h"

namespace outrider::serve {

/// Scores the tokens that follow rows of logits.
class TokenScorer {
 public:
  /// @param engine  of the rows; must outlive it
  /// @param top     likeliest tokens wanted
  TokenScorer(engine::Engine& engine, int top);

  /// Reads a row, where it lies. Its token may be known later, before the next pass.
  void read(const engine::Logits& logits, int row);
  /// The token after the row that was read last.
  ScoredToken score(Token token) const;

 private:
  std::unique_ptr<sampling::Chooser> chooser_;
  int top_;
  sampling::RowScores scores_;
  engine::LogitsRow row_ = {};  // that was read last
};

}  // namespace outrider::serve
