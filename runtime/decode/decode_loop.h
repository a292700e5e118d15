#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "runtime/base/token.h"
#include "runtime/decode/sampler.h"
#include "runtime/draft/drafter.h"
#include "runtime/engine/engine.h"

namespace outrider::decode {

enum class FinishReason { kStop, kLength, kContext, kInterrupted };
const char* finish_name(FinishReason reason);

/// What one decode did. Times in seconds; `passes` are target passes after the prefill.
struct DecodeStats {
  int passes = 0;
  int drafted = 0;   // nodes sent to the target, without the roots
  int accepted = 0;  // of those, kept in the text
  double prefill_seconds = 0;
  double decode_seconds = 0;  // from the first token to the last
};

struct DecodeResult {
  std::vector<Token> tokens;  // the end token included where the model gave it
  FinishReason finish = FinishReason::kLength;
  DecodeStats stats;
};

struct DecodeLimits {
  int max_new = 256;
  std::vector<Token> end_tokens;  // end the text, and are part of the result
  int prefill_chunk = 64;         // rows a prefill pass
};

/// Called with each token as it is decided, in order; returning false ends the text after it
/// (kStop).
using OnToken = std::function<bool(Token)>;

/// One sequence and its KV cache: feeds prompts, decodes, and keeps the cache for the next turn.
class Decoder {
 public:
  /// @param context  the most tokens the sequence may reach
  Decoder(engine::Engine& target, int context);

  /// Decodes after `tokens`, the whole text so far (earlier turns included); what of it the cache
  /// already holds is not forwarded again.
  /// @param drafter  nullptr decodes autoregressively
  /// @throws InputError when `tokens` is empty or leaves no room in the context
  DecodeResult decode(std::span<const Token> tokens, Sampler& sampler, draft::Drafter* drafter,
                      const DecodeLimits& limits, const OnToken& on_token);

 private:
  engine::Engine* target_;
  engine::KvCache cache_;
  std::vector<Token> forwarded_;  // the tokens whose keys and values the cache holds
};

}  // namespace outrider::decode
