#pragma once

#include <exception>
#include <span>

#include "runtime/base/token.h"
#include "runtime/decode/decode_result.h"
#include "runtime/draft/origin.h"
#include "runtime/engine/pass.h"
#include "runtime/engine/tap_request.h"
#include "runtime/sampling/row_scorer.h"

namespace outrider::decode {

/// Receives what a Batch decodes in one sequence. All calls come from `Batch::step`, but `wants` and `start`, which `add`
/// makes, and on its thread.
class SequenceListener {
 public:
  virtual ~SequenceListener() = default;

  /// The next token, which is final. Returning false ends the answer after it.
  /// @param origin  of the accepted node; Source::kNone for the target's own token
  /// @param scores  of the row before the token, valid during the call; null unless Request::scores
  virtual bool take(Token token, const draft::Origin& origin,
                    const sampling::RowScores* scores) = 0;

  /// The answer is complete: ended, cancelled (FinishReason::kInterrupted) or beyond a limit. The last call. The next
  /// turn may be added here.
  virtual void end(DecodeResult result) = 0;
  /// Instead of `end`: what the sequence's drafter, its listener or its cache threw. Throws it on, out of `Batch::step`,
  /// unless overridden. The other sequences lose nothing either way.
  virtual void fail(const std::exception_ptr& error) { std::rethrow_exception(error); }

  // For a listener that keeps something of each row: states for a trace.

  /// What `observe` needs, of every row that the text keeps, those of the prompt included.
  virtual engine::TapRequest wants() const { return {}; }
  /// Rows that the text keeps, in order. Nothing of the pass is valid after the call.
  virtual void observe(const engine::Pass& /*pass*/, std::span<const int> /*rows*/) {}
  /// An answer begins. @param kept  the leading tokens whose rows the cache holds
  /// @return how many of them need not be forwarded again
  virtual int start(int kept) { return wants().empty() ? kept : 0; }
  /// Takes over what another listener of the batch keeps of the first `tokens` tokens, which both texts begin with.
  /// @return false if it cannot: then the rows are forwarded again
  virtual bool adopt(const SequenceListener& /*other*/, int /*tokens*/) { return wants().empty(); }
};

}  // namespace outrider::decode
