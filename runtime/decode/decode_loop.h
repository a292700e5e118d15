#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "runtime/base/stopwatch.h"
#include "runtime/base/token.h"
#include "runtime/decode/rejection_choice.h"
#include "runtime/decode/sequence.h"
#include "runtime/draft/drafter.h"
#include "runtime/draft/drafter_stats.h"
#include "runtime/draft/row_stats.h"
#include "runtime/draft/tree_walk.h"
#include "runtime/engine/engine.h"
#include "runtime/sampling/chooser.h"
#include "runtime/sampling/sampler.h"

namespace outrider::decode {

/// The draft of one pass.
struct PassDraft {
  int drafted = 0;   // nodes sent to the target, without the root
  int accepted = 0;  // of those, taken into the text
};

/// What one decode did; times in seconds. The decode time that is left after drafting, the target's
/// passes and its choices was spent on handing out tokens and on the KV cache, nearly all of it in the
/// other_seconds of `by_drafter`.
struct DecodeStats {
  int passes = 0;          // of the target, after the prefill
  int drafted = 0;         // nodes sent to the target, without the roots
  int accepted = 0;        // of those, taken into the text
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
};

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

/// Decodes one sequence, turn by turn.
///
/// Each step drafts a tree below the last token, forwards it in one pass and follows the target's own
/// choices down from the root. The rows on that path are those that plain decoding would have computed,
/// so they are kept, never recomputed, and the text is that of plain decoding. A drafter may ask for
/// verification by rejection instead, except for an answer that is given.
class Decoder {
 public:
  /// @param context  the most tokens the sequence may reach
  Decoder(engine::Engine& target, int context);
  // What a pass hands out refers to the pass of this decoder.
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;

  /// Decodes after `text`, everything so far (earlier turns included). What the cache already holds
  /// of it is not forwarded again.
  /// @param drafter  nullptr: plain, autoregressive decoding
  /// @throws InputError when `text` is empty or leaves no room for a token in the context
  DecodeResult decode(std::span<const Token> text, sampling::Sampler sampler,
                      draft::Drafter* drafter, const DecodeLimits& limits,
                      const OnToken& on_token = {});

 private:
  /// One call of `decode`.
  struct Run {
    draft::Drafter* drafter;
    const DecodeLimits& limits;
    const OnToken& on_token;
    DecodeStats stats = {};
    double draft_seconds = 0;
    double other_seconds = 0;  // of the round, besides its draft, pass and choices
    Stopwatch since_first_token = {};
  };
  bool interrupted(const Run& run);
  void prefill(Run& run);
  void step(Run& run);
  Token chosen_after(int row);
  Token choose(const Run& run, int node);
  bool take(Run& run, Token token, const draft::Origin& origin);
  void end_lap(Run& run, double& seconds);
  DecodeResult result(Run& run);

  engine::Engine* target_;
  int context_;
  std::unique_ptr<sampling::Chooser> chooser_;
  Sequence sequence_;
  engine::Pass pass_;
  engine::TapRequest wanted_;  // what the drafter observes
  draft::TokenTree tree_;      // of the current step
  draft::TreeWalk walk_;
  draft::DrafterStats by_drafter_;
  draft::RowStats rows_;
  std::vector<int> rejected_;                 // nodes
  std::optional<RejectionChoice> rejection_;  // once a drafter has asked for it
};

}  // namespace outrider::decode
