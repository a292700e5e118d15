#pragma once

#include <vector>

#include "runtime/base/token.h"
#include "runtime/tokenizer/tokenizer_spec.h"

namespace outrider::text {

/// The tokens that end a text: those that the model's files name, first; then those that mean an end by their own
/// text, like `<|endoftext|>` in a file that names `<|im_end|>` only. A model may write any of them.
std::vector<Token> end_tokens(const TokenizerSpec& spec);

}  // namespace outrider::text
