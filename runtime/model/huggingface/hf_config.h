#pragma once

#include <vector>

#include "runtime/base/token.h"
#include "runtime/model/config.h"
#include "runtime/model/json_object.h"

namespace outrider::model {

/// The contents of `config.json` of a Hugging Face folder.
struct HfConfig {
  ModelConfig shape;  // `architecture` is the file's model_type
  bool tied = false;  // the embedding is the head
  std::vector<Token> end_tokens;
};

/// @throws InputError naming a key that is missing, out of range, unknown, or not supported
HfConfig read_hf_config(const JsonObject& file);

}  // namespace outrider::model
