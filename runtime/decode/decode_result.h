#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "runtime/base/token.h"
#include "runtime/decode/finish_reason.h"
#include "runtime/draft/acceptance_table.h"
#include "runtime/draft/drafter.h"
#include "runtime/draft/drafter_stats.h"
#include "runtime/draft/row_stats.h"

namespace outrider::decode {

/// The draft of one pass.
struct PassDraft {
  int drafted = 0;   // nodes sent to the target, without the root
  int accepted = 0;  // of those, taken into the text
};

/// What asking a text's drafter for drafts came to.
struct AskedDrafts {
  int rounds = 0;            // in which it was asked
  int with_draft = 0;        // of these: it had one
  double first_seconds = 0;  // of the first, in which a drafter may read the prompt
  double seconds = 0;        // of all others
};

/// What one decode did; times in seconds. The decode time that is left after drafting, the target's
/// passes and its choices was spent on handing out tokens and on the KV cache, nearly all of it in the
/// other_seconds of `by_drafter`.
///
/// Where several sequences share passes (Batch), the times of prefill and decoding are those that went by, so that
/// the times of texts overlap; those of passes and choices are the sequence's part, by its rows; drafting and the rest
/// are its own.
struct DecodeStats {
  int passes = 0;          // of the target, after the prefill
  int drafted = 0;         // nodes sent to the target, without the roots
  int accepted = 0;        // of those, taken into the text
  int cut_rounds = 0;      // passes whose draft had more nodes than there was room for
  int prefilled_rows = 0;  // of the prompt: those that the cache did not hold, at least one
  double prefill_seconds = 0;
  double decode_seconds = 0;  // from the first token to the last; includes those below
  std::vector<draft::DrafterSeconds> draft_seconds = {};  // of each drafter
  double verify_seconds = 0;                              // the target's passes
  double sample_seconds = 0;                              // the target's choices
  std::vector<draft::DrafterResults> by_drafter = {};     // of the rounds with their drafts
  std::vector<PassDraft> by_pass = {};                    // [passes]
  draft::RowStats rows = {};                              // where drafts note them
  std::vector<draft::DrafterCount> draft_counts = {};     // if the drafter counts
  AskedDrafts asked = {};
  draft::AcceptanceTable acceptance = {};  // of the drafted tokens that the target was asked about
};

/// Of all drafters, in seconds.
inline double drafting_seconds(const DecodeStats& stats) {
  double seconds = 0;
  for (const draft::DrafterSeconds& one : stats.draft_seconds) seconds += one.seconds;
  return seconds;
}

/// The seconds of decoding that are due to this text alone: its drafts, its rows' part of the passes, its choices. Of a
/// text that shares no pass nearly all of `decode_seconds`.
inline double own_seconds(const DecodeStats& stats) {
  return drafting_seconds(stats) + stats.verify_seconds + stats.sample_seconds;
}

/// Tokens per pass of decoding: the first token of a text comes from the prefill and does not
/// count. Plain decoding has 1. 0 without passes.
inline double tokens_per_pass(std::int64_t decoded_tokens, std::int64_t passes) {
  return passes == 0 ? 0 : static_cast<double>(decoded_tokens) / static_cast<double>(passes);
}

struct DecodeResult {
  std::vector<Token> tokens;  // with the end token, if the model generated it
  FinishReason finish = FinishReason::kLength;
  DecodeStats stats;
};

/// Called with each token when it is final, in order; returning false ends the text after it.
/// @param origin  of the accepted node; Source::kNone for the target's own token
using OnToken = std::function<bool(Token token, const draft::Origin& origin)>;

}  // namespace outrider::decode
