#pragma once

#include <string_view>

#include "runtime/model/config.h"
#include "runtime/tokenizer/tokenizer_spec.h"

namespace outrider::fuzz {

/// tokenizer.json of a model of 64 tokens, without a tokenizer_config.json.
text::TokenizerSpec read_hf_tokenizer_text(std::string_view json);

/// config.json
model::ModelConfig read_hf_config_text(std::string_view json);

}  // namespace outrider::fuzz
