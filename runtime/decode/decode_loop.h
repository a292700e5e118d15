#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "runtime/base/token.h"
#include "runtime/draft/drafter.h"
#include "runtime/draft/row_stats.h"
#include "runtime/draft/tree_walk.h"
#include "runtime/engine/engine.h"
#include "runtime/sampling/sampler.h"
#include "runtime/sampling/token_counts.h"

namespace outrider::decode {

enum class FinishReason : std::uint8_t {
  kStop,         // an end token, or the listener's wish
  kLength,       // max_new tokens are made
  kContext,      // the context is full
  kInterrupted,  // the user broke it off
};
const char* finish_name(FinishReason reason);

/// The draft of one pass.
struct PassDraft {
  int drafted = 0;   // nodes sent to the target, without the root
  int accepted = 0;  // of those, kept in the text
};

/// What one decode did; times in seconds. Of the decode time, what neither drafting nor the target's
/// passes nor its choices took is the rest: handing tokens out, and the KV cache.
struct DecodeStats {
  int passes = 0;          // of the target, after the prefill
  int drafted = 0;         // nodes sent to the target, without the roots
  int accepted = 0;        // of those, kept in the text
  int prefilled_rows = 0;  // of the text before: what the cache did not hold, at least one
  double prefill_seconds = 0;
  double decode_seconds = 0;  // from the first token to the last; holds those below
  std::vector<draft::DrafterSeconds> draft_seconds = {};  // of each drafter
  double verify_seconds = 0;                              // the target's passes
  double sample_seconds = 0;                              // the target's choices
  std::vector<PassDraft> by_pass = {};                    // [passes]
  draft::RowStats rows = {};                              // where drafts note them
};

struct DecodeResult {
  std::vector<Token> tokens;  // the end token included where the model gave it
  FinishReason finish = FinishReason::kLength;
  DecodeStats stats;
};

struct DecodeLimits {
  int max_new = 256;
  int prefill_chunk = 64;                  // rows of a prefill pass
  std::vector<Token> end_tokens = {};      // end the text, and belong to it
  std::function<bool()> interrupted = {};  // asked before every pass
  /// Said in place of what the target would choose, so that drafts for a given text can be judged;
  /// the text ends with it at the latest. Empty: the target chooses.
  std::vector<Token> given = {};
};

/// Called with each token as it is decided, in order; returning false ends the text after it.
/// @param origin  of the accepted node; of the target's own token, one of Source::kNone
using OnToken = std::function<bool(Token token, const draft::Origin& origin)>;

/// One sequence and its KV cache, kept from turn to turn.
///
/// Each step drafts a tree below the last token, forwards it in one pass and walks down from the
/// root along the target's own choices. The rows on that walk are the ones plain decoding would have
/// computed, so they are kept, never recomputed, and the text is that of plain decoding.
class Decoder {
 public:
  /// @param context  the most tokens the sequence may reach
  Decoder(engine::Engine& target, int context);
  // Drafters hold on to what the pass of this very decoder handed out.
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;

  /// Decodes after `text`, everything so far (earlier turns included). What the cache already holds
  /// of it is not forwarded again.
  /// @param drafter  nullptr: plain, autoregressive decoding
  /// @throws InputError when `text` is empty or leaves no room for a token in the context
  DecodeResult decode(std::span<const Token> text, sampling::Sampler& sampler,
                      draft::Drafter* drafter, const DecodeLimits& limits,
                      const OnToken& on_token = {});

 private:
  struct Run;
  void prefill(Run& run);
  void step(Run& run);
  Token choose(Run& run, int row) const;
  bool emit(Run& run, Token token, const draft::Origin& origin);
  void note_forwarded(std::span<const int> rows);

  engine::Engine* target_;
  int context_;
  std::unique_ptr<engine::KvCache> cache_;
  std::vector<Token> forwarded_;  // the tokens whose keys and values the cache holds
  engine::Pass pass_;
  engine::TapRequest wanted_;  // what the drafter observes
  draft::TokenTree tree_;      // of the step under way
  draft::TreeWalk walk_;
};

}  // namespace outrider::decode
