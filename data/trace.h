#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/base/bfloat16.h"
#include "runtime/base/token.h"
#include "runtime/decode/finish_reason.h"

namespace outrider::data {

/// The target's hidden states after one layer, in the numbering of engine::TapRequest (0: the embedding,
/// kFinalNorm: after the final norm).
struct LayerStates {
  int layer = 0;
  /// [positions, width]; for the forwarded positions: all but the last token's.
  std::vector<Bfloat16> values;
};

/// The target's answer to one prompt, in one turn of its conversation.
struct Trace {
  std::string id;  // the prompt's
  std::string task;
  int turn = 1;    // from 1
  int sample = 1;  // from 1
  double temperature = 0;
  std::uint64_t sequence_seed = 0;
  decode::FinishReason finish = decode::FinishReason::kLength;

  std::vector<Token> prompt_tokens;  // everything before the answer, including earlier turns
  std::vector<Token> output_tokens;  // with the end token if there was one
  /// [prompt + output tokens]: 1 where a drafter should learn to predict this token.
  std::vector<std::uint8_t> loss_mask;

  // The distribution that each output token was chosen from: softmax of the target's logits at
  // temperature 1, before penalties, bias and filters. Per output token:
  std::vector<Token> top_ids;         // [output, k], most likely first; ties: the lowest id
  std::vector<float> top_log_probs;   // [output, k], natural
  std::vector<float> entropies;       // [output], of the whole distribution, in nats
  std::vector<float> tail_masses;     // [output], probability outside the top k, summed directly
  std::vector<std::uint8_t> in_loop;  // [output], by loop_flags (data/loops.h)

  std::vector<LayerStates>
      states;  // empty unless requested; otherwise in the store's order of layers

  /// Positions whose rows were forwarded, [0, positions): all but the last token's.
  std::size_t positions() const { return prompt_tokens.size() + output_tokens.size() - 1; }
};

}  // namespace outrider::data
