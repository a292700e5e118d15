#pragma once

#include <memory>
#include <span>
#include <vector>

#include "runtime/base/token.h"
#include "runtime/decode/decode_result.h"
#include "runtime/decode/round.h"
#include "runtime/decode/sequence.h"
#include "runtime/draft/drafter.h"
#include "runtime/engine/asked_draft.h"
#include "runtime/engine/engine.h"
#include "runtime/sampling/chooser.h"
#include "runtime/sampling/sampler.h"

namespace outrider::decode {

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
  void add_rows(int prefill_chunk);
  void choose();

  engine::Engine* target_;
  std::unique_ptr<sampling::Chooser> chooser_;
  Sequence sequence_;
  Round round_;
  engine::Pass pass_;
  std::vector<sampling::AskedRow> asked_;
  std::vector<engine::AskedDraft> asked_drafts_;  // whose rows are all among these
};

}  // namespace outrider::decode
