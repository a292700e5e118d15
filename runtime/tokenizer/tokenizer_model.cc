#include "runtime/tokenizer/tokenizer_model.h"

#include <fmt/core.h>

#include "runtime/base/error.h"
#include "runtime/tokenizer/byte_level_bpe.h"
#include "runtime/tokenizer/character_bpe.h"

namespace outrider::text {

std::unique_ptr<TokenizerModel> make_tokenizer_model(const TokenizerSpec& spec) {
  if (spec.model == "gpt2") return std::make_unique<ByteLevelBpe>(spec);
  if (spec.model == "llama" || spec.model == "bpe") return std::make_unique<CharacterBpe>(spec);
  throw InputError(
      fmt::format("the tokenizer's model is '{}'; expected one this version knows: gpt2 "
                  "(byte-level BPE), llama (SentencePiece's BPE)",
                  spec.model));
}

}  // namespace outrider::text
