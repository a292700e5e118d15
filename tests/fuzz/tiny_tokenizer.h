#pragma once

#include "runtime/model/model.h"
#include "tests/support/tiny_llama.h"

namespace outrider::fuzz {

/// The tokenizer of the tiny models: every byte, a few merges, three special tokens.
inline text::TokenizerSpec tiny_tokenizer_spec() {
  const auto bytes = test::tiny_llama_gguf({.layers = 1, .width = 32, .heads = 2, .ffn_width = 32},
                                           1, model::WeightType::kQ4_0);
  return model::parse_model(bytes, "tiny").tokenizer;
}

}  // namespace outrider::fuzz
