#pragma once

#include <cstdint>
#include <vector>

#include "runtime/tokenizer/tokenizer_spec.h"
#include "tests/support/gguf_writer.h"

namespace outrider::test {

/// Gives a GGUF file this tokenizer of the llama kind.
inline void set_pieces(GgufWriter& file, const text::TokenizerSpec& spec) {
  std::vector<std::int32_t> kinds;
  for (const text::TokenKind kind : spec.kinds)
    kinds.push_back(static_cast<std::int32_t>(kind) + 1);
  file.set("tokenizer.ggml.model", "llama");
  file.set("tokenizer.ggml.pre", "default");
  file.set("tokenizer.ggml.tokens", spec.tokens);
  file.set("tokenizer.ggml.scores", spec.scores);
  file.set("tokenizer.ggml.token_type", kinds);
  if (spec.dropped_spaces == 0) file.set("tokenizer.ggml.add_space_prefix", false);
}

}  // namespace outrider::test
